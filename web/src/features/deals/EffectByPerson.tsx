import { IconAlertTriangle } from '@tabler/icons-react';
import { type UseQueryResult } from '@tanstack/react-query';
import { type CreditsChange } from '../../api/credit-queries.js';
import { describeError } from '../../api/describe-error.js';
import { Note } from '../../components/Note.js';
import { plainMessage } from '../../shared/format/plain-message.js';
import { EffectList } from './EffectList.js';

interface Effect extends Pick<CreditsChange, 'byRep' | 'locked'> {
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

interface EffectByPersonProps {
  readonly query: Pick<UseQueryResult<Effect>, 'data' | 'error' | 'isFetching'>;
}

const titles: Readonly<Record<string, string>> = {
  paid_twice: 'An amount is paid twice for a while',
  lines_differ: 'The products do not add up to the deal',
  no_rule_reads_lines: 'No rule pays products',
};

/** What a change of a deal would do to each person: open periods, approved ones, and what would be paid twice meanwhile. */
export function EffectByPerson({ query: { data, error, isFetching } }: EffectByPersonProps) {
  if (error !== null) return <p className="negative">{describeError(error).message}</p>;
  if (data === undefined) return <p className="dim">Calculating the commission …</p>;
  return (
    <div aria-busy={isFetching}>
      <EffectList {...data} />
      {data.warnings.map(({ code, message }) => (
        <Note
          key={message}
          tone="warning"
          icon={IconAlertTriangle}
          title={titles[code] ?? 'The credit rules exceed 100 %'}
        >
          <p>{plainMessage(message)}</p>
        </Note>
      ))}
    </div>
  );
}
