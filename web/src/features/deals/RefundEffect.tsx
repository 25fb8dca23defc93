import { type UseQueryResult } from '@tanstack/react-query';
import { describeError } from '../../api/describe-error.js';
import { type RefundEffectAnswer } from '../../api/refund-queries.js';
import { Warnings } from '../../components/Warnings.js';
import { EffectList } from './EffectList.js';

/** What a change of a refund would do to each person, before it is saved. */
export function RefundEffect({ query }: { readonly query: UseQueryResult<RefundEffectAnswer> }) {
  const { data, error, isFetching } = query;
  if (error !== null) return <p className="negative">{describeError(error).message}</p>;
  if (data === undefined) return <p className="dim">Calculating the commission …</p>;
  return (
    <div aria-busy={isFetching}>
      <EffectList byRep={data.byRep} locked={data.locked} />
      <Warnings warnings={data.warnings} />
    </div>
  );
}
