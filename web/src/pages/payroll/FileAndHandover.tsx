import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { saveFile } from '../../api/download.js';
import {
  type Handover,
  type Layout,
  type PayrollTerms,
  payrollFileQuery,
  type Scope,
} from '../../api/payroll-queries.js';
import { type TeamStatements } from '../../api/team-queries.js';
import { Button } from '../../components/Button.js';
import { Segments } from '../../components/Segments.js';
import { netSums, present } from '../../features/statements/pay-sums.js';
import { formatCount } from '../../shared/format/numbers.js';
import { FileCard } from './FileCard.js';
import { HandoverCard } from './HandoverCard.js';
import { useDownloadedAt } from './handover.js';
import { findObstacle } from './layouts.js';
import { areEqual, fileTotals, hasAmount, isApproved, lessHanded } from './sums.js';

interface FileAndHandoverProps {
  readonly period: string;
  readonly team: TeamStatements;
  readonly handovers: readonly Handover[];
  readonly terms: PayrollTerms;
  readonly layout: Layout;
  readonly scope: Scope;
}

/** The file in the chosen layout, compared with the approved statements, and its hand-over, which appears with the first rows of the file. */
export function FileAndHandover({ period, team, handovers, layout, scope, terms }: FileAndHandoverProps) {
  const navigate = useNavigate({ from: '/payroll' });
  const approved = team.statements.filter(isApproved);
  const ofPeriod = handovers.filter((handover) => handover.period === period);
  const approvedSums = present(netSums(approved, team.currency));
  const ledger = scope === 'full' ? approvedSums : present(lessHanded(approvedSums, team.handedOver));
  const approvedIds = new Set(approved.filter(hasAmount).map(({ repId }) => repId));
  const withoutId = team.missingPayrollIds.filter(({ repId }) => approvedIds.has(repId));
  const inFile = (repIds: readonly string[]) =>
    approved.filter(({ repId }) => approvedIds.has(repId) && repIds.includes(repId));
  const changedIds = inFile(team.changedPayrollIds.map(({ repId }) => repId));
  const sharedIds = inFile(team.sharedPayrollIds);
  const obstacle = findObstacle(layout, { terms, currencies: ledger.map(({ currency }) => currency), withoutId });
  const query = useQuery({ ...payrollFileQuery(period, layout, scope), enabled: obstacle === null });
  const downloaded = useDownloadedAt(query.data);
  const file =
    obstacle === null && query.data?.layout === layout && query.data.scope === scope && !query.isPlaceholderData
      ? query.data
      : null;
  const totals = file === null ? [] : fileTotals(file, ledger[0]?.currency ?? team.currency);
  const isEqual = file !== null && areEqual(totals, ledger);
  return (
    <>
      <FileCard
        furtherNote={layout === 'generic' ? 'This layout contains drafts too.' : undefined}
        {...{ period, layout, query, obstacle, totals, ledger, isEqual, withoutId, changedIds, sharedIds }}
        currency={team.currency}
        onLayout={(next) => navigate({ search: { period, layout: next, scope } })}
        choices={
          ofPeriod.length === 0 ? undefined : (
            <Segments
              label="People in the file"
              choices={[
                ['new', 'Only what is new'],
                ['full', 'Everyone'],
              ]}
              current={scope}
              onChange={(next) => navigate({ search: { period, layout, scope: next } })}
            />
          )
        }
        withoutRow={
          layout === 'generic' || scope === 'new' ? null : <WithoutAmount count={approved.length - approvedIds.size} />
        }
        action={({ file: content }, isCurrent) => (
          <Button
            icon={IconDownload}
            disabled={!isCurrent}
            onClick={() => {
              saveFile(content, content.name);
              downloaded.record();
            }}
          >
            {downloaded.at === null ? 'Download' : 'Download again'}
          </Button>
        )}
      />
      {query.isLoading ? null : (
        <HandoverCard
          {...{ period, file, totals, isEqual }}
          downloadedAt={downloaded.at}
          handovers={ofPeriod}
          isComplete={approved.length === team.statements.length}
        />
      )}
    </>
  );
}

function WithoutAmount({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span className="dim">
      {' '}
      {formatCount(count, 'person', 'people')} without an amount {count === 1 ? 'has' : 'have'} none
    </span>
  );
}
