import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import { workspaceQuery } from '../../api/settings-queries.js';
import { useSession } from '../../app/session.js';
import { useToday } from '../../app/today.js';
import { Button } from '../../components/Button.js';
import { Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { EmptyState } from '../../components/States.js';
import { formatPeriod } from '../../shared/format/periods.js';

/** A page of the books, or how to keep books while accounting is off. */
export function WithBooks({ children }: { readonly children: ReactNode }) {
  const workspace = useQuery(workspaceQuery);
  return (
    <Loaded query={workspace} height={480}>
      {({ accounting }) => (accounting === undefined ? <Off /> : children)}
    </Loaded>
  );
}

function Off() {
  const { role } = useSession();
  const from = `${useToday().slice(0, 4)}-01`;
  const turnOn = useAction({ send: () => api.updateWorkspace({ body: { accounting: { enabled: true, from } } }) });
  return (
    <Page title="Month-end" crumbs={[{ label: 'Month-end' }]}>
      <EmptyState
        title="Accounting is off"
        actions={
          role === 'admin' ? (
            <Button kind="primary" isBusy={turnOn.isBusy} onClick={() => turnOn.send()}>
              Keep books
            </Button>
          ) : undefined
        }
      >
        With accounting, each month from {formatPeriod(from)} on has what people are owed and the journal to post. It
        changes no commission and no payment.
      </EmptyState>
    </Page>
  );
}
