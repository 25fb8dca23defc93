import { IconAlertTriangle } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useAction } from '../api/change.js';
import { type Answer, api } from '../api/client.js';
import { formatTimestamp } from '../shared/format/dates.js';
import { formatCount } from '../shared/format/numbers.js';
import { plainMessage } from '../shared/format/plain-message.js';
import { Button } from './Button.js';
import { Note } from './Note.js';

type FailedCalculation = Answer<'listFailedCalculations'>['failed'][number];

/** Failed attempts change no revision. */
const failedQuery = queryOptions({
  queryKey: ['failed-calculations'],
  queryFn: ({ signal }) => api.listFailedCalculations({}, { signal }),
  refetchInterval: 10_000,
});

const maxVisible = 5;

/** The people whose commission cannot be calculated, with the reason. For admins. */
export function FailedCalculations() {
  const { data } = useQuery(failedQuery);
  const failed = data?.failed ?? [];
  return (
    <>
      {failed.slice(0, maxVisible).map((failed) => (
        <Failed key={failed.repId} {...failed} />
      ))}
      {failed.length > maxVisible ? (
        <p className="dim">
          The calculation of {formatCount(failed.length - maxVisible, 'more person', 'more people')} fails.
        </p>
      ) : null}
    </>
  );
}

function Failed({ repId, repName, attempts, error, requestedAt, parkedAt }: FailedCalculation) {
  const again = useAction({
    send: () => api.recalculateCommissions({ body: { repId, async: true } }),
    reloads: { queryKey: ['failed-calculations'] },
  });
  const isStopped = parkedAt !== null;
  return (
    <Note
      tone={isStopped ? 'negative' : 'warning'}
      icon={IconAlertTriangle}
      title={
        isStopped
          ? `The calculation of commission for ${repName} has stopped`
          : `The commission of ${repName} is not up to date`
      }
      actions={
        isStopped ? (
          <Button onClick={() => again.send()} disabled={again.isBusy}>
            Try again
          </Button>
        ) : undefined
      }
    >
      <p className="dim">
        Changes since {formatTimestamp(requestedAt)} are not included: {formatCount(attempts, 'attempt')} failed.{' '}
        {isStopped ? 'The service does not try again.' : 'The service tries again.'} The last error was:{' '}
        {plainMessage(error)}
      </p>
    </Note>
  );
}
