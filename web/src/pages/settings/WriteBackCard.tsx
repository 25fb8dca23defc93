import { queryOptions, useQuery } from '@tanstack/react-query';
import { productNames } from '#src/client.js';
import { useChange } from '../../api/change.js';
import { type Answer, api } from '../../api/client.js';
import { describeError } from '../../api/describe-error.js';
import { type Provider } from '../../api/settings-queries.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Facing } from '../../components/Facing.js';
import { Card } from '../../components/Page.js';
import { formatInstant } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';

type Status = Answer<'getWriteBack'>;

export const writeBackQuery = (provider: Provider) =>
  queryOptions({
    queryKey: ['write-back', provider],
    queryFn: ({ signal }) => api.getWriteBack({ params: { provider } }, { signal }),
    refetchInterval: 15_000,
  });

/** Whether commission reaches the deals of a CRM, and what prevents it; nothing while it is not written. */
export function WriteBackCard({ provider }: { readonly provider: Provider }) {
  const query = writeBackQuery(provider);
  const { data } = useQuery(query);
  const check = useChange({
    send: () => api.checkWriteBack({ params: { provider } }),
    reloads: { queryKey: query.queryKey },
  });
  if (data === undefined || !data.enabled) return null;
  return (
    <Card
      title={`Commission in ${productNames[provider]}`}
      note="on the deals"
      action={
        <Button isBusy={check.isBusy} onClick={() => check.send()}>
          Check again
        </Button>
      }
    >
      <div className={blocks.stack}>
        {check.error === null ? null : <p role="alert">{describeError(check.error).message}</p>}
        <Findings status={data} />
        <Facing
          rows={[
            ['Written', formatCount(data.written, 'deal')],
            ['Waiting', formatCount(data.waiting, 'deal')],
            ['Last written', data.lastWrittenAt === null ? 'never' : formatInstant(data.lastWrittenAt)],
            ...(data.pausedUntil === null
              ? []
              : [['Paused', `until ${formatInstant(data.pausedUntil)}: ${data.error ?? ''}`] as const]),
          ]}
        />
        <Failures status={data} />
      </div>
    </Card>
  );
}

function Findings({ status: { checkedAt, findings } }: { readonly status: Status }) {
  if (checkedAt === null)
    return <p className="dim">Permission and fields are checked before the first deal is written.</p>;
  if (findings.length === 0)
    return <p className="dim">Permission and fields were in order {formatInstant(checkedAt)}.</p>;
  return (
    <div role="alert">
      <p>Nothing is written until this is corrected:</p>
      <ul className={blocks.checks}>
        {findings.map(({ code, field, message }) => (
          <li key={`${code} ${field}`}>{message}</li>
        ))}
      </ul>
    </div>
  );
}

function Failures({ status: { failed, failures } }: { readonly status: Status }) {
  if (failed === 0) return null;
  return (
    <details>
      <summary>
        {formatCount(failed, 'deal')} rejected
        {failed > failures.length ? `, the latest ${formatNumber(failures.length)}` : ''}
      </summary>
      <ul className={blocks.checks}>
        {failures.map(({ dealId, reason }) => (
          <li key={dealId}>
            {dealId} <span className="dim">{reason}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
