import { IconPlugOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Agent, agentsQuery } from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import { Button } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Dialog } from '../../components/Dialog.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { formatDay } from '../../shared/format/dates.js';

/** The agents that the person has connected; for admins those of everyone. */
export function AgentsPage() {
  const { role } = useSession();
  const agents = useQuery(agentsQuery);
  return (
    <Page
      title="Connected agents"
      crumbs={[{ label: 'Your account', to: '/account' }, { label: 'Connected agents' }]}
      facts={[role === 'admin' ? 'Agents of everyone in the workspace' : 'Programs that act for you']}
    >
      <Loaded query={agents} height={240}>
        {(loaded) => <AgentList agents={loaded.agents} />}
      </Loaded>
    </Page>
  );
}

function AgentList({ agents }: { readonly agents: readonly Agent[] }) {
  const [leaving, setLeaving] = useState<Agent | null>(null);
  const { role } = useSession();
  if (agents.length === 0)
    return (
      <Card title="No agents are connected">
        <p className="dim">Connect one from its own program: give it the address of the service with /v1/mcp.</p>
      </Card>
    );
  return (
    <>
      <DataTable
        caption="Connected agents"
        columns={buildColumns(role === 'admin', setLeaving)}
        rows={agents}
        rowKey={({ id }) => id}
      />
      {leaving === null ? null : <DisconnectDialog agent={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

function buildColumns(isAdmin: boolean, onDisconnect: (agent: Agent) => void): Column<Agent>[] {
  const person: Column<Agent> = {
    key: 'person',
    header: 'Person',
    cell: ({ personName }) => personName,
    phone: 'note',
  };
  return [
    {
      key: 'client',
      header: 'Program',
      cell: ({ clientName, clientAddress }) => (
        <>
          {clientName} <span className="dim">{clientAddress ?? 'not verified'}</span>
        </>
      ),
      sortBy: ({ clientName }) => clientName,
      phone: 'title',
    },
    ...(isAdmin ? [person] : []),
    {
      key: 'scopes',
      header: 'May',
      cell: ({ scopes }) => (scopes.includes('write') ? 'read and change' : 'read'),
      phone: 'detail',
    },
    { key: 'since', header: 'Connected', cell: ({ createdAt }) => formatDay(createdAt.slice(0, 10)) },
    {
      key: 'used',
      header: 'Last used',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : formatDay(lastUsedAt.slice(0, 10))),
    },
    {
      key: 'end',
      header: <span className="unseen">Disconnect</span>,
      align: 'right',
      cell: (agent) => (
        <Button kind="quiet" icon={IconPlugOff} onClick={() => onDisconnect(agent)}>
          Disconnect
        </Button>
      ),
      phone: 'amount',
    },
  ];
}

function DisconnectDialog({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const disconnect = useChange({
    send: () => api.disconnectAgent({ params: { agentId: agent.id } }),
    reloads: { queryKey: agentsQuery.queryKey },
    onDone: onClose,
  });
  return (
    <Dialog
      title={`Disconnect ${agent.clientName}`}
      onClose={onClose}
      action={{ kind: 'danger', children: 'Disconnect' }}
      onSubmit={() => disconnect.send()}
      change={disconnect}
    >
      <p>It can no longer read or change anything for {agent.personName}. To use it again, connect it again.</p>
    </Dialog>
  );
}
