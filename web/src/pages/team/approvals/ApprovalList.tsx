import { useMediaQuery } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type TeamStatement, type TeamStatements } from '../../../api/team-queries.js';
import { createStore } from '../../../app/store.js';
import { DataTable } from '../../../components/DataTable.js';
import { KeyHints } from '../../../components/Kbd.js';
import { Note } from '../../../components/Note.js';
import { EmptyState, Skeleton } from '../../../components/States.js';
import { Tabs } from '../../../components/Tabs.js';
import { toggled, withAll } from '../../../components/toggled.js';
import { hasPayouts } from '../../../features/statements/pay-sums.js';
import { useShortcuts } from '../../../shared/keys/shortcuts.js';
import { phone } from '../../../shared/theme/breakpoints.js';
import { ApprovalBar } from './ApprovalBar.js';
import styles from './Approvals.module.css';
import { ApproveDialog } from './ApproveDialog.js';
import { approvalColumns } from './approval-columns.js';
import { type ApprovalRow, isApproved, isClear, isSelectable, isToReview } from './approval-rows.js';
import { HoldNote } from './HoldNote.js';
import { type Failures } from './use-generate.js';

const route = getRouteApi('/_shell/approvals');

interface ApprovalListProps {
  readonly period: string;
  readonly currency: string;
  readonly rows: readonly ApprovalRow[];
  /** The numbers of people on all pages; absent if one page has everyone. */
  readonly statuses: TeamStatements['statuses'];
  /** Whether the rows are those of filtered people. */
  readonly isOfSome: boolean;
  /** Whether everything that can hold a row has been loaded. */
  readonly isReady: boolean;
  /** Whether the rows of the tab are loading. */
  readonly isLoading: boolean;
  readonly failures: Failures;
  /** Null while statements are being approved. */
  readonly onApprove: ((statements: readonly TeamStatement[]) => void) | null;
  readonly onAccept: (statement: TeamStatement) => void;
}

/** The tabs, the table and, with a selection, the bar. `x` selects the row with the focus, `a` approves. */
export function ApprovalList(props: ApprovalListProps) {
  const { period, currency, rows, isOfSome, isReady, isLoading, onApprove } = props;
  const { tab = 'review' } = route.useSearch();
  const [chosen, setChosen] = useChosen(period);
  /** What the dialog shows is what is approved, also if rows change while it is open. */
  const [confirmed, setConfirmed] = useState<readonly ApprovalRow[] | null>(null);
  // A row that changed or was approved in the meantime leaves the selection.
  const selected = rows.filter((row) => chosen.has(row.repId) && isSelectable(row));
  const selectedKeys = new Set(selected.map(({ repId }) => repId));
  const onPage = rows.map(({ repId }) => repId);
  const choose = (keys: ReadonlySet<string>) => setChosen(new Set([...withAll(chosen, onPage, false), ...keys]));
  const isPhone = useMediaQuery(phone, undefined, { getInitialValueInEffect: false });
  const visible = inOrder(rows, isPhone).filter(tabRows[tab]);
  const toggle = (row: ApprovalRow) => {
    if (isReady && isSelectable(row)) choose(toggled(selectedKeys, row.repId));
  };
  const clear = () => choose(new Set());
  useShortcuts({
    x: () => {
      const row = visible.find(({ repId }) => repId === (document.activeElement as HTMLElement | null)?.dataset['key']);
      if (row !== undefined) toggle(row);
    },
    a: () => setConfirmed(selected.length > 0 && onApprove !== null ? selected : null),
    Escape: clear,
  });
  return (
    <div>
      <StateTabs rows={rows} statuses={props.statuses} current={tab} />
      {visible.length === 0 && isLoading ? (
        <Skeleton height={480} />
      ) : visible.length === 0 && isOfSome ? (
        <EmptyState title="No statement of these people is in this list">Clear the filters to see everyone.</EmptyState>
      ) : visible.length === 0 ? (
        <Nothing tab={tab} />
      ) : (
        <ApprovalTable {...props} visible={visible} selectedKeys={selectedKeys} onToggle={toggle} onChoose={choose} />
      )}
      {selected.length === 0 || onApprove === null ? null : (
        <ApprovalBar
          currency={currency}
          rows={visible}
          selected={selected}
          onClear={clear}
          onApprove={() => setConfirmed(selected)}
        />
      )}
      {confirmed === null || onApprove === null ? null : (
        <ApproveDialog
          currency={currency}
          period={period}
          selected={confirmed}
          onClose={() => setConfirmed(null)}
          onConfirm={() => {
            onApprove(confirmed.map(({ statement }) => statement));
            clear();
            setConfirmed(null);
          }}
        />
      )}
    </div>
  );
}

/** The selection of each period until the page is loaded again, so that it is the same after a statement was opened. */
const selections = createStore<ReadonlyMap<string, ReadonlySet<string>>>(new Map());

function useChosen(period: string) {
  const all = selections.use();
  const choose = (repIds: ReadonlySet<string>) => selections.set(new Map([...selections.get(), [period, repIds]]));
  return [all.get(period) ?? new Set<string>(), choose] as const;
}

const tabRows = { review: isToReview, approved: isApproved, all: () => true } as const;

type TabKey = 'review' | 'approved' | 'all';

interface StateTabsProps extends Pick<ApprovalListProps, 'rows' | 'statuses'> {
  readonly current: TabKey;
}

function StateTabs({ rows, statuses, current }: StateTabsProps) {
  const navigate = useNavigate({ from: '/approvals' });
  const { none, draft, approved } = statuses ?? {
    none: 0,
    draft: rows.filter(isToReview).length,
    approved: rows.filter(isApproved).length,
  };
  return (
    <Tabs<TabKey>
      label="Statements by state"
      current={current}
      onChange={(tab) => navigate({ search: (present) => ({ ...present, tab }) })}
      tabs={[
        { key: 'review', label: 'To review', count: none + draft },
        { key: 'approved', label: 'Approved', count: approved },
        { key: 'all', label: 'All', count: statuses === undefined ? rows.length : none + draft + approved },
      ]}
      side={<KeyHints hints={hints} />}
    />
  );
}

interface ApprovalTableProps extends ApprovalListProps {
  readonly visible: readonly ApprovalRow[];
  readonly selectedKeys: ReadonlySet<string>;
  readonly onToggle: (row: ApprovalRow) => void;
  readonly onChoose: (repIds: ReadonlySet<string>) => void;
}

function ApprovalTable(props: ApprovalTableProps) {
  const { period, currency, visible, selectedKeys, isReady, failures, onAccept, onToggle, onChoose } = props;
  const clear = visible.filter(isClear);
  const onToggleAll = (all: boolean) => onChoose(new Set(all ? clear.map(({ repId }) => repId) : []));
  return (
    <div className={styles.table}>
      <DataTable
        caption="Statements of the team"
        columns={approvalColumns({
          ...{ period, currency, selectedKeys, isReady, clear, onToggle, onToggleAll },
          hasPayouts: hasPayouts(visible.map(({ statement }) => statement)),
        })}
        rows={visible}
        rowKey={({ repId }) => repId}
        rowHeight={57}
        selectedKeys={selectedKeys}
        below={(row) => <Below row={row} period={period} failure={failures.get(row.repId)} onAccept={onAccept} />}
        hasBelow={(row) => failures.has(row.repId) || (row.hold !== null && hasNote(row.hold))}
      />
    </div>
  );
}

/** A phone shows what needs a review first. */
function inOrder(rows: readonly ApprovalRow[], isPhone: boolean): readonly ApprovalRow[] {
  if (!isPhone) return rows;
  const needsLook = ({ hold }: ApprovalRow) => hold !== null && hasNote(hold);
  return [...rows.filter(needsLook), ...rows.filter((row) => !needsLook(row))];
}

const hints = [
  { keys: ['j', 'k'], action: 'move' },
  { keys: ['x'], action: 'select' },
  { keys: ['a'], action: 'approve' },
];

function hasNote(hold: NonNullable<ApprovalRow['hold']>): boolean {
  return hold.kind !== 'blocked' || hold.reason === 'stale';
}

interface BelowProps {
  readonly row: ApprovalRow;
  readonly period: string;
  readonly failure: string | undefined;
  readonly onAccept: (statement: TeamStatement) => void;
}

function Below({ row, period, failure, onAccept }: BelowProps) {
  return (
    <div className={styles.note}>
      {failure === undefined ? null : (
        <Note tone="negative" icon={IconAlertTriangle} title="Not approved">
          <p>{failure}</p>
        </Note>
      )}
      <HoldNote row={row} period={period} onAccept={onAccept} />
    </div>
  );
}

function Nothing({ tab }: { readonly tab: TabKey }) {
  return tab === 'review' ? (
    <EmptyState title="Everything is approved">Changes from now on appear as discrepancies.</EmptyState>
  ) : (
    <EmptyState title="Nothing is approved yet">Select statements under To review and approve them.</EmptyState>
  );
}
