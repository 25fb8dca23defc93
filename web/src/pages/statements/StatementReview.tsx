import { IconCheck, IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../api/change.js';
import { api } from '../../api/client.js';
import {
  exceptionsQuery,
  finishedExceptions,
  isWhole,
  type TeamStatements,
  teamStatementsQuery,
  withIds,
} from '../../api/team-queries.js';
import { showMessage } from '../../app/messages.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button, IconButton } from '../../components/Button.js';
import { StatementLink } from '../../components/links.js';
import { Skeleton } from '../../components/States.js';
import { formatPeriod } from '../../shared/format/periods.js';
import { useShortcuts } from '../../shared/keys/shortcuts.js';
import { ApproveDialog } from '../team/approvals/ApproveDialog.js';
import {
  type ApprovalRow,
  approvalRows,
  isBlockedBy,
  isSelectable,
  isToReview,
} from '../team/approvals/approval-rows.js';
import { HoldNote } from '../team/approvals/HoldNote.js';
import { neighbours, nextOf } from '../team/approvals/review-order.js';
import { useSeenStatements } from '../team/approvals/seen-statements.js';

interface StatementReviewProps {
  readonly repId: string;
  readonly period: string;
}

/** The review of the team continues on the statement: why it needs a look, Approve, and the people before and after. */
export function StatementReview({ repId, period }: StatementReviewProps) {
  const { repId: own } = useSession();
  const pageRead = useQuery(teamStatementsQuery(period));
  const isOnPage = pageRead.data?.statements.some((each) => each.repId === repId);
  // A person of a later page is reviewed without the people before and after.
  const ownRead = useQuery({ ...teamStatementsQuery(period, { ids: repId }), enabled: isOnPage === false });
  const teamRead = isOnPage === false ? ownRead : pageRead;
  const team = teamRead.data;
  const people = team?.statements ?? [];
  const hasPeople = people.length > 0;
  const exceptionsRead = useQuery({ ...exceptionsQuery(period, withIds(people)), enabled: hasPeople });
  const exceptions = finishedExceptions(exceptionsRead.data);
  const { seenOf, accept } = useSeenStatements(own, period, team?.statements);
  if (team === undefined || (hasPeople && exceptions === undefined))
    return teamRead.isError || exceptionsRead.isError ? null : <Skeleton height={32} />;
  const rows = approvalRows({
    period,
    ownRepId: own,
    statements: team,
    overview: null,
    previous: null,
    exceptions,
    seenOf,
  });
  const row = rows.find((row) => row.repId === repId);
  return (
    <>
      <ReviewBar repId={repId} period={period} rows={rows} row={row} team={pageRead.data ?? team} />
      {row === undefined || row.hold === null ? null : <HoldNote row={row} period={period} onAccept={accept} />}
    </>
  );
}

interface ReviewBarProps extends StatementReviewProps {
  readonly rows: readonly ApprovalRow[];
  /** Undefined for a person without a statement in the team of the period. */
  readonly row: ApprovalRow | undefined;
  /** The first page of everyone, with the numbers of all. */
  readonly team: TeamStatements;
}

const isOfOthers = isBlockedBy('own', 'step');

function ReviewBar({ repId, period, rows, row, team }: ReviewBarProps) {
  const navigate = useNavigate();
  const { position, previous, next } = neighbours(rows, repId);
  const open = (to: ApprovalRow | null) =>
    to === null ? undefined : navigate({ to: '/statements/$repId', params: { repId: to.repId }, search: { period } });
  useShortcuts({ n: () => void open(next), p: () => void open(previous) });
  const toApprove = rows.filter((each) => isToReview(each) && !isOfOthers(each));
  const isAll = isWhole(team, team.statements);
  const following = nextOf(rows, toApprove, repId);
  return (
    <nav aria-label="Review" className={blocks.actions}>
      <IconButton
        icon={IconChevronLeft}
        label={previous === null ? 'Previous person' : `Previous: ${previous.statement.name}`}
        disabled={previous === null}
        onClick={() => void open(previous)}
      />
      <IconButton
        icon={IconChevronRight}
        label={next === null ? 'Next person' : `Next: ${next.statement.name}`}
        disabled={next === null}
        onClick={() => void open(next)}
      />
      <span className="dim">
        {position < 0 || !isAll ? '' : `${position + 1} of ${rows.length}, `}
        {isAll ? toApprove.length : team.toApprove} to approve
        {following === null ? null : (
          <>
            , next{' '}
            <StatementLink repId={following.repId} period={period}>
              {following.statement.name}
            </StatementLink>
          </>
        )}
      </span>
      {row === undefined ? null : <ApproveButton key={row.statement.version} row={row} period={period} />}
    </nav>
  );
}

function ApproveButton({ row, period }: { readonly row: ApprovalRow; readonly period: string }) {
  const { workspace } = useSession();
  const [isConfirming, setConfirming] = useState(false);
  const { repId, statement } = row;
  const approve = useAction({
    send: () =>
      api.approveStatement({
        params: { repId },
        body: { period, status: 'approved', version: statement.version },
      }),
    onDone: () => showMessage(`${formatPeriod(period)} of ${statement.name} is approved.`),
  });
  // The chain of approval has its own button, which names the step.
  if (!isToReview(row) || row.hold?.kind === 'blocked' || statement.approval !== undefined) return null;
  return (
    <>
      <Button
        kind="primary"
        icon={IconCheck}
        isBusy={approve.isBusy}
        disabled={!isSelectable(row)}
        onClick={() => setConfirming(true)}
      >
        Approve v{statement.version}
      </Button>
      {isConfirming ? (
        <ApproveDialog
          currency={workspace.currency}
          period={period}
          selected={[row]}
          onClose={() => setConfirming(false)}
          onConfirm={() => {
            setConfirming(false);
            approve.send();
          }}
        />
      ) : null}
    </>
  );
}
