import { IconDownload } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { api } from '../../api/client.js';
import { saveFile, useDownload } from '../../api/download.js';
import { type PeopleById, usePeopleById } from '../../api/people-by-id.js';
import { isUuid } from '../../api/person-list-queries.js';
import { type AuditFilter, auditQuery } from '../../api/settings-queries.js';
import blocks from '../../components/Blocks.module.css';
import { Button, RowButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { DayRange } from '../../components/DayRange.js';
import { Filters } from '../../components/Filters.js';
import { InlineInput } from '../../components/Inline.js';
import { Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { Badge } from '../../components/StatusBadge.js';
import { Tabs } from '../../components/Tabs.js';
import { useTogether } from '../../components/together.js';
import { InlinePersonChoice } from '../../features/people/PersonChoice.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { operationName } from '../../shared/format/operations.js';
import { AuditChanges, changedRows, valueText } from './AuditChanges.js';
import { type AuditCall, callWords, groupCalls } from './audit-calls.js';
import { EngineRuns } from './EngineRuns.js';

const route = getRouteApi('/_shell/audit');

/** What people and keys did, with the rows before and after, and the runs of the engine. */
export function AuditPage() {
  const { view = 'people', sort: _, ...filter } = route.useSearch();
  const navigate = useNavigate({ from: '/audit' });
  return (
    <Page
      title="Audit"
      crumbs={[{ label: 'Audit' }]}
      facts={['Entries form a chain and cannot be changed']}
      actions={<Export />}
    >
      <Tabs<'people' | 'engine'>
        label="What is listed"
        current={view}
        onChange={(next) => navigate({ search: next === 'people' ? {} : { view: next } })}
        tabs={[
          { key: 'people', label: 'People and keys' },
          { key: 'engine', label: 'Calculations' },
        ]}
      />
      {view === 'people' ? (
        <Entries filter={filter} onFilter={(change) => navigate({ search: { ...filter, ...change }, replace: true })} />
      ) : (
        <EngineRuns />
      )}
    </Page>
  );
}

function Export() {
  const { start, ratio } = useDownload(async () =>
    saveFile((await api.exportAuditLog()) as unknown as Blob, 'audit-log.ndjson'),
  );
  return (
    <Button icon={IconDownload} isBusy={ratio !== null} onClick={() => start()}>
      Export
    </Button>
  );
}

interface EntriesProps {
  readonly filter: AuditFilter;
  readonly onFilter: (change: AuditFilter) => void;
}

function Entries({ filter, onFilter }: EntriesProps) {
  const entries = useInfiniteQuery(auditQuery(filter));
  const [open, setOpen] = useState<string | null>(null);
  const actors = (entries.data?.pages ?? []).flatMap((page) => page.entries.map(({ actor }) => actorId(actor)));
  const together = useTogether({ entries, people: usePeopleById(actors) });
  return (
    <>
      <EntryFilters filter={filter} onFilter={onFilter} />
      <Loaded query={together} height={480}>
        {({ entries: { pages }, people }) => {
          const all = pages.flatMap((page) => page.entries);
          if (all.length === 0) return <EmptyState title="Nothing matches">Change or clear the filters.</EmptyState>;
          return (
            <>
              <DataTable
                caption="Audit log"
                columns={buildColumns(people, open, setOpen)}
                rows={groupCalls(all)}
                rowKey={({ callId }) => callId}
                below={({ callId, parts }) => (callId === open ? <Parts parts={parts} /> : null)}
                hasBelow={({ callId }) => callId === open}
              />
              {entries.hasNextPage ? (
                <div className={blocks.actions}>
                  <Button isBusy={entries.isFetchingNextPage} onClick={() => entries.fetchNextPage()}>
                    Earlier entries
                  </Button>
                </div>
              ) : null}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Parts({ parts }: Pick<AuditCall, 'parts'>) {
  return parts.map((part) => <AuditChanges key={part.entryId} entry={part} />);
}

function EntryFilters({ filter, onFilter }: EntriesProps) {
  const { action = '', resource = '' } = filter;
  const [typed, setTyped] = useState({ action, resource });
  // The address may change without these fields, such as by the back button.
  useEffect(() => setTyped({ action, resource }), [action, resource]);
  return (
    <Filters
      onSubmit={() =>
        onFilter({ action: operationName(typed.action) || undefined, resource: typed.resource.trim() || undefined })
      }
    >
      <InlinePersonChoice
        label="Who"
        value={filter.actor?.replace('rep:', '') ?? ''}
        first={[
          ['', 'Everyone'],
          ['api-key', 'The key of the workspace'],
        ]}
        onChoose={(chosen) => onFilter({ actor: (isUuid(chosen) ? `rep:${chosen}` : chosen) || undefined })}
      />
      <InlineInput
        label="What, such as Approve statement"
        placeholder="Approve statement"
        value={typed.action}
        onChange={({ currentTarget }) => setTyped({ ...typed, action: currentTarget.value })}
      />
      <InlineInput
        label="Where, such as plans, or an ID"
        placeholder="plans, or an ID"
        value={typed.resource}
        onChange={({ currentTarget }) => setTyped({ ...typed, resource: currentTarget.value })}
      />
      <DayRange label="Done" from={filter.from} to={filter.to} onChange={onFilter} />
      <Button type="submit">Filter</Button>
    </Filters>
  );
}

/** The person in an actor, such as rep:<id>. */
function actorId(actor: string): string | undefined {
  return /rep:([0-9a-f-]{36})/.exec(actor)?.[1];
}

/** The name behind an actor. */
function actorWords(actor: string, people: PeopleById): string {
  const name = people.get(actorId(actor) ?? '')?.name;
  if (actor === 'api-key') return 'The key of the workspace';
  if (name === undefined) return actor;
  return actor.startsWith('mcp:') ? `${name}, through an agent` : name;
}

function buildColumns(
  people: PeopleById,
  open: string | null,
  onOpen: (entryId: string | null) => void,
): readonly Column<AuditCall>[] {
  return [
    {
      key: 'what',
      header: 'What',
      phone: 'title',
      cell: ({ callId, parts }) => (
        <>
          <RowButton
            aria-expanded={callId === open}
            onClick={() => onOpen(callId === open ? null : callId)}
            {...rowAction}
          >
            {callWords(parts[0])}
          </RowButton>
          {parts.length === 1 ? null : <span className="second">{formatCount(parts.length, 'part')}</span>}
        </>
      ),
    },
    { key: 'who', header: 'Who', phone: 'detail', cell: ({ parts: [{ actor }] }) => actorWords(actor, people) },
    {
      key: 'at',
      header: 'When',
      phone: 'detail',
      cell: ({ parts: [{ at }] }) => <span className="dim">{formatTimestamp(at)}</span>,
    },
    {
      key: 'rows',
      header: 'Changed rows',
      align: 'right',
      cell: ({ parts }) => (
        <span className="num">{formatNumber(parts.reduce((sum, part) => sum + changedRows(part), 0))}</span>
      ),
    },
    {
      key: 'outcome',
      header: 'Result',
      phone: 'note',
      cell: ({ parts: [{ outcome, code }] }) =>
        outcome === 'done' ? (
          <Badge tone="good">Done</Badge>
        ) : (
          <Badge tone="negative">{valueText(code ?? 'Rejected')}</Badge>
        ),
    },
  ];
}
