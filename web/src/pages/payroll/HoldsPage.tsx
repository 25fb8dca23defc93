import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { holdsQuery } from '../../api/payout-queries.js';
import { workspaceQuery } from '../../api/settings-queries.js';
import { usePersistedDialog } from '../../app/persisted-state.js';
import { mayPay, useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import { HoldDialog } from '../../features/payables/HoldDialog.js';
import { HoldList } from '../../features/payables/HoldList.js';

const storageKey = 'hold';

/** What is not paid for a while, and why. */
export function HoldsPage() {
  const { role } = useSession();
  const query = combineQueries({ holds: useQuery(holdsQuery()), workspace: useQuery(workspaceQuery) });
  const [isNew, setNew] = usePersistedDialog(storageKey);
  return (
    <Page
      title="Holds"
      crumbs={[{ label: 'Holds' }]}
      facts={['What is earned stays earned, and is paid when the hold ends']}
      actions={
        query.data?.workspace.payouts === undefined || !mayPay(role) ? undefined : (
          <Button icon={IconPlus} kind="primary" onClick={() => setNew(true)}>
            Hold pay
          </Button>
        )
      }
    >
      <Loaded query={query} height={320}>
        {({ holds, workspace }) =>
          workspace.payouts === undefined ? (
            <EmptyState title="Payouts are off">
              Statements pay what is earned. With payouts, which an admin turns on in the workspace, they pay what is
              payable, and pay can be held.
            </EmptyState>
          ) : holds.length === 0 ? (
            <EmptyState title="Nothing is held">
              A hold stops what is paid to a person, for a deal or of a rule, until it is released.
            </EmptyState>
          ) : (
            <Card title="Holds">
              <HoldList holds={holds} />
            </Card>
          )
        }
      </Loaded>
      {isNew ? <HoldDialog storageKey={storageKey} onClose={() => setNew(false)} /> : null}
    </Page>
  );
}
