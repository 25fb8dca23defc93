import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { acceptancesQuery } from '../../api/acceptance-queries.js';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { downloadAcceptances, useDownload } from '../../api/download.js';
import { showMessage } from '../../app/messages.js';
import { Button } from '../../components/Button.js';
import { Choice } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { ProgressBar } from '../../components/ProgressBar.js';
import { formatCount } from '../../shared/format/numbers.js';

type Mode = 'none' | 'required' | 'hold_pay';

interface PlanAcceptanceProps {
  readonly planId: string;
  /** The version that is shown. */
  readonly planVersionId: string;
  readonly mode: Mode;
}

/** Whether people accept the plan, and how far that is. */
export function PlanAcceptance({ planId, planVersionId, mode }: PlanAcceptanceProps) {
  const acceptances = useQuery(acceptancesQuery(planId));
  const set = useAction({
    send: (acceptance: Mode) => api.setPlanAcceptance({ params: { planVersionId }, body: { acceptance } }),
    onDone: ({ requested }) => showMessage(`Saved. ${formatCount(requested, 'request was', 'requests were')} sent.`),
  });
  const remind = useAction({
    send: () => api.remindAcceptances({ params: { planRef: planId } }),
    onDone: ({ requested }) => showMessage(`${formatCount(requested, 'request was', 'requests were')} sent again.`),
  });
  const { start, ratio } = useDownload(() => downloadAcceptances(planId));
  const ofVersion = (acceptances.data?.acceptances ?? []).filter((each) => each.planVersionId === planVersionId);
  const accepted = ofVersion.filter(({ status }) => status === 'accepted').length;
  const words = `${accepted} of ${ofVersion.length} accepted`;
  const others = ofVersion.filter(({ status }) => status !== 'accepted');
  return (
    <Card
      title="Acceptance"
      note={ofVersion.length === 0 ? undefined : words}
      action={
        ofVersion.length === 0 ? undefined : (
          <>
            {others.length === 0 ? null : (
              <Button isBusy={remind.isBusy} onClick={() => remind.send()}>
                Remind {others.length}
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
            {ofVersion.length === 0 ? null : <ProgressBar ratio={accepted / ofVersion.length} label={words} />}
            {others.length === 0 ? null : (
              <ul>
                {others.map(({ repId, repName, status, reason }) => (
                  <li key={repId}>
                    {repName}: {status === 'declined' ? `declined, ${reason ?? ''}` : 'has not answered'}
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}
