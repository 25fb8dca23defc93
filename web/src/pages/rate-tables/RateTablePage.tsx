import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import {
  type MissingRow,
  type RateTableRevision,
  rateCoverageQuery,
  rateTableQuery,
  rateTableRevisionsQuery,
  rateTablesQuery,
  removeRateTable,
  type StoredRateTable,
} from '../../api/rate-table-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedState } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import { combineQueries, Loaded } from '../../components/Loaded.js';
import { LoadedPage } from '../../components/LoadedPage.js';
import { Card, Page } from '../../components/Page.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { CoverageCard } from './CoverageCard.js';
import { TableEditor, useTableEditor } from './TableEditor.js';

const route = getRouteApi('/_shell/rate-tables/$name');
const crumbs = [{ label: 'Rate tables', to: '/rate-tables' }] as const;

/** One table: its rows to type into or to paste, the plans that use it, and who changed it. */
export function RateTablePage() {
  const { name } = route.useParams();
  const table = useQuery(rateTableQuery(name));
  const [isDeleting, setDeleting] = useState(false);
  return (
    <LoadedPage query={table} title="Rate table" crumbs={crumbs} height={480}>
      {(stored) => (
        <Page
          title={stored.name}
          crumbs={[...crumbs, { label: stored.name }]}
          facts={[formatCount(stored.rows.length, 'row'), `revision ${stored.revision}`]}
          isWide
          actions={
            stored.plans.length === 0 ? (
              <Button kind="danger" onClick={() => setDeleting(true)}>
                Delete …
              </Button>
            ) : undefined
          }
        >
          <EditedTable table={stored} />
          {isDeleting ? <DeleteDialog name={stored.name} onClose={() => setDeleting(false)} /> : null}
        </Page>
      )}
    </LoadedPage>
  );
}

function EditedTable({ table }: { readonly table: StoredRateTable }) {
  const state = useTableEditor(table.name, table);
  return (
    <>
      <TableEditor name={table.name} table={table} state={state} />
      <AboutTable table={table} onAdd={state.addMissing} />
    </>
  );
}

/** A table that is not stored yet. */
export function NewRateTablePage() {
  const tables = useQuery(rateTablesQuery);
  const [name, setName, clearName] = usePersistedState('rate-table-name', '');
  const state = useTableEditor(name.trim(), null);
  const isTaken = tables.data?.some((table) => table.name.toLowerCase() === name.trim().toLowerCase()) === true;
  return (
    <Page title="New rate table" crumbs={[...crumbs, { label: 'New rate table' }]} isWide>
      <TextField
        label="Name"
        maxLength={100}
        hint="Plans name the table by it, so it cannot be changed later."
        problem={isTaken ? 'There is a table of this name.' : null}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <TableEditor name={name.trim()} table={null} state={state} isTaken={isTaken} onSaved={clearName} />
    </Page>
  );
}

function UsedBy({ plans }: Pick<StoredRateTable, 'plans'>) {
  return (
    <Card title="Used by">
      {plans.length === 0 ? (
        <p className="dim">No active plan uses it. The tiers of a rule choose it in place of a rate.</p>
      ) : (
        <>
          <ul className={blocks.rows}>
            {plans.map(({ planId, name }) => (
              <li key={planId}>
                <Link to="/plans/$planId" params={{ planId }} className="ink strong">
                  {name}
                </Link>
              </li>
            ))}
          </ul>
          <p className="dim">It can be deleted when no active plan uses it.</p>
        </>
      )}
    </Card>
  );
}

const maxRevisions = 10;

interface AboutTableProps {
  readonly table: StoredRateTable;
  readonly onAdd: (missing: MissingRow) => void;
}

/** What is below the table, which loads as a whole, so that no card moves another. */
function AboutTable({ table: { name, revision, plans }, onAdd }: AboutTableProps) {
  const query = combineQueries({
    coverage: useQuery(rateCoverageQuery(name, revision)),
    revisions: useQuery(rateTableRevisionsQuery(name)),
  });
  return (
    <Loaded query={query} height={240}>
      {({ coverage, revisions }) => (
        <>
          <CoverageCard coverage={coverage} onAdd={onAdd} />
          <div className={blocks.cardColumns}>
            <HistoryOfTable revisions={revisions.slice(0, maxRevisions)} />
            <UsedBy plans={plans} />
          </div>
        </>
      )}
    </Loaded>
  );
}

function HistoryOfTable({ revisions }: { readonly revisions: readonly RateTableRevision[] }) {
  return (
    <Card title="History">
      <ul className={blocks.lines}>
        {revisions.map(({ revision, changedAt, actor, note, counts }) => (
          <li key={revision}>
            <span>
              <b className="strong">{actor}</b> {note}
              <span className="second">
                {formatCount(counts.added, 'row')} added, {counts.changed} changed, {counts.ended} ended
              </span>
            </span>
            <span className="dim">{formatTimestamp(changedAt)}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function DeleteDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useChange({
    send: () => removeRateTable(name),
    reloads: { queryKey: ['rate-tables'] },
    onDone: async () => {
      showMessage(`${name} was deleted.`);
      await navigate({ to: '/rate-tables' });
      queryClient.removeQueries({ queryKey: ['rate-table', name] });
    },
  });
  return (
    <Dialog
      title={`Delete ${name}`}
      onClose={onClose}
      onSubmit={() => remove.send()}
      change={remove}
      action={{ kind: 'danger', children: 'Delete' }}
    >
      <p>No active plan uses it, so commission stays as it is. Its history stays, too.</p>
    </Dialog>
  );
}
