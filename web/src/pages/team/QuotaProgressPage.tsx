import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  type Attainment,
  countOf,
  isWhole,
  type TeamOverview,
  teamOnPage,
  teamOverviewQuery,
} from '../../api/team-queries.js';
import { useToday } from '../../app/today.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { personColumn } from '../../components/links.js';
import { useListPage } from '../../components/list-page.js';
import { Card, Page } from '../../components/Page.js';
import { ListPager } from '../../components/Pager.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { EmptyState } from '../../components/States.js';
import { Tabs } from '../../components/Tabs.js';
import { isCounted, prorationWords } from '../../features/plans/attainment.js';
import { difference, signOf } from '../../shared/format/exact.js';
import { formatCount, formatUnits } from '../../shared/format/numbers.js';
import { countedPeriod, formatPeriod, periodAt } from '../../shared/format/periods.js';
import { Attained } from './Attained.js';

const route = getRouteApi('/_shell/quota-progress');

interface QuotaRow {
  readonly key: string;
  readonly repId: string;
  readonly name: string;
  readonly quota: Attainment;
}

/** Credit, target and attainment of every quota that touches the period. */
export function QuotaProgressPage() {
  const today = useToday();
  const navigate = useNavigate({ from: '/quota-progress' });
  const { period: chosen, measure } = route.useSearch();
  const period = chosen ?? periodAt(today, 3, 'fiscal');
  const [page, onPage] = useListPage(period);
  const overview = useQuery(teamOverviewQuery(period, {}, page));
  return (
    <Page
      title={`Quota progress in ${formatPeriod(period)}`}
      crumbs={[{ label: 'Team', to: '/team' }, { label: 'Quota progress' }]}
      facts={[overview.data === undefined ? null : countWords(overview.data)]}
      actions={<PeriodPicker period={period} onChange={(next) => navigate({ search: { period: next, measure } })} />}
    >
      <Loaded query={overview} height={480}>
        {(team) => (
          <>
            <Quotas
              team={team}
              measure={measure}
              onMeasure={(next) => navigate({ search: { period, measure: next } })}
            />
            <ListPager page={page} pageSize={teamOnPage} count={countOf(team, team.reps)} onChange={onPage} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function countWords(team: TeamOverview): string {
  return `${formatCount(toRows(team).length, 'quota')}${isWhole(team, team.reps) ? '' : ' on this page'}`;
}

function toRows(team: TeamOverview): QuotaRow[] {
  return team.reps.flatMap(({ repId, name, attainment }) =>
    attainment.map((quota) => ({
      key: `${repId} ${quota.planId} ${quota.measure} ${quota.period}`,
      repId,
      name,
      quota,
    })),
  );
}

interface QuotasProps {
  readonly team: TeamOverview;
  readonly measure: string | undefined;
  readonly onMeasure: (measure: string | undefined) => void;
}

function Quotas({ team, measure, onMeasure }: QuotasProps) {
  const rows = toRows(team);
  const today = useToday();
  const measures = [...new Set(rows.map(({ quota }) => quota.measure))].sort();
  if (rows.length === 0)
    return (
      <EmptyState title={`No quotas in ${formatPeriod(team.period)}`}>
        Quotas of the months, quarters and years that touch the period appear here. An admin sets them.
      </EmptyState>
    );
  const current = measure !== undefined && measures.includes(measure) ? measure : '';
  const visible = rows.filter(({ quota }) => current === '' || quota.measure === current);
  const reached = visible.filter(({ quota }) => quota.target > 0 && isCounted(quota) && quota.attainment >= 1).length;
  return (
    <>
      <Tabs
        label="Quotas by measure"
        current={current}
        onChange={(key) => onMeasure(key === '' ? undefined : key)}
        tabs={[
          { key: '', label: 'All', count: rows.length },
          ...measures.map((key) => ({
            key,
            label: key,
            count: rows.filter(({ quota }) => quota.measure === key).length,
          })),
        ]}
      />
      <Card
        title="Quotas"
        note={`${reached} of ${visible.length} reached${isWhole(team, team.reps) ? '' : ' on this page'}`}
        isFlush
      >
        <DataTable
          caption="Quotas of the team"
          columns={columns(team.period, today)}
          rows={visible}
          rowKey={({ key }) => key}
          isInset
        />
      </Card>
    </>
  );
}

function columns(period: string, today: string): readonly Column<QuotaRow>[] {
  const figure = (value: number | string) => <span className="num">{formatUnits(value)}</span>;
  return [
    personColumn(period),
    {
      key: 'measure',
      header: 'Measure',
      phone: 'detail',
      sortBy: ({ quota }) => quota.measure,
      cell: ({ quota }) => quota.measure,
    },
    {
      key: 'period',
      header: 'Period',
      phone: 'detail',
      sortBy: ({ quota }) => quota.period,
      cell: ({ quota }) => <span className="dim">{countedPeriod(quota.period, quota.through, today)}</span>,
    },
    {
      key: 'credit',
      header: 'Credit',
      align: 'right',
      sortBy: ({ quota }) => quota.credit,
      cell: ({ quota }) => (isCounted(quota) ? figure(quota.credit) : <span className="dim">–</span>),
    },
    {
      key: 'target',
      header: 'Target',
      align: 'right',
      sortBy: ({ quota }) => quota.target,
      cell: ({ quota }) => (
        <>
          {figure(quota.target)}
          <Prorated quota={quota} />
        </>
      ),
    },
    {
      key: 'missing',
      header: 'To target',
      align: 'right',
      phone: 'note',
      sortBy: ({ quota }) => (isCounted(quota) ? quota.target - quota.credit : null),
      cell: ({ quota }) => <Missing quota={quota} />,
    },
    {
      key: 'attainment',
      header: 'Attainment',
      align: 'right',
      phone: 'amount',
      sortBy: ({ quota }) => quota.attainment,
      cell: ({ quota }) => <Attained attainment={quota.target > 0 && isCounted(quota) ? quota : null} />,
    },
  ];
}

function Prorated({ quota }: { readonly quota: Attainment }) {
  const words = prorationWords(quota);
  return words === null ? null : <span className="second num">{words}</span>;
}

function Missing({ quota }: { readonly quota: Attainment }) {
  if (quota.target === 0) return <span className="dim">no target</span>;
  if (!isCounted(quota)) return <span className="dim">counts at the end</span>;
  const missing = difference(quota.target, quota.credit);
  return (
    <>
      {signOf(missing) <= 0 ? (
        <span className="dim">reached</span>
      ) : (
        <span className="num">{formatUnits(missing)}</span>
      )}
      {quota.countsAtEnd === undefined ? null : <span className="second">counts at the end</span>}
    </>
  );
}
