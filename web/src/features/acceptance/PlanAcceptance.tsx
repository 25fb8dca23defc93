import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { versionAcceptanceQuery } from '../../api/acceptance-queries.js';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { downloadAcceptances, useDownload } from '../../api/download.js';
import { showMessage } from '../../app/messages.js';
import { Button } from '../../components/Button.js';
import { Choice } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { ProgressBar } from '../../components/ProgressBar.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';

type Mode = 'none' | 'required' | 'hold_pay';

interface PlanAcceptanceProps {
  readonly planId: string;
  /** The version that is shown. */
  readonly planVersionId: string;
  readonly mode: Mode;
}

/** Whether people accept the plan, and how far that is. */
export function PlanAcceptance({ planId, planVersionId, mode }: PlanAcceptanceProps) {
  const acceptances = useQuery(versionAcceptanceQuery(planVersionId));
  const set = useAction({
    send: (acceptance: Mode) => api.setPlanAcceptance({ params: { planVersionId }, body: { acceptance } }),
    onDone: ({ requested }) => showMessage(`Saved. ${formatCount(requested, 'request was', 'requests were')} sent.`),
  });
  const remind = useAction({
    send: () => api.remindAcceptances({ params: { planRef: planId } }),
    onDone: ({ requested }) => showMessage(`${formatCount(requested, 'request was', 'requests were')} sent again.`),
  });
  const { start, ratio } = useDownload(() => downloadAcceptances(planId));
  const { acceptances: others = [], waiting = 0, accepted = 0, declined = 0 } = acceptances.data ?? {};
  const [unaccepted, all] = [waiting + declined, waiting + declined + accepted];
  const words = `${formatNumber(accepted)} of ${formatNumber(all)} accepted`;
  return (
    <Card
      title="Acceptance"
      note={all === 0 ? undefined : words}
      action={
        all === 0 ? undefined : (
          <>
            {unaccepted === 0 ? null : (
              <Button isBusy={remind.isBusy} onClick={() => remind.send()}>
                Remind {formatNumber(unaccepted)}
              </Button>
            )}
            <Button icon={IconDownload} isBusy={ratio !== null} onClick={() => start()}>
              Export
            </Button>
          </>
        )
      }
    >
      <Loaded query={acceptances} height={64}>
        {() => (
          <>
            <Choice
              label="People"
              choices={[
                ['none', 'need not accept this version'],
                ['required', 'accept it'],
                ['hold_pay', 'accept it, and its pay waits until then'],
              ]}
              value={mode}
              disabled={set.isBusy}
              onChange={({ currentTarget }) => set.send(currentTarget.value as Mode)}
            />
            {all === 0 ? null : <ProgressBar ratio={accepted / all} label={words} />}
            {others.length === 0 ? null : (
              <ul>
                {others.map(({ repId, repName, status, reason }) => (
                  <li key={repId}>
                    {repName}: {status === 'declined' ? `declined, ${reason ?? ''}` : 'has not answered'}
                  </li>
                ))}
                {unaccepted > others.length ? (
                  <li>{formatCount(unaccepted - others.length, 'more person', 'more people')}, in the export</li>
                ) : null}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}
