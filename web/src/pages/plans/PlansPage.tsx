import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { allPlansQuery } from '../../api/import-queries.js';
import { type Plan } from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import { ButtonContent, buttonClass } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { Tabs } from '../../components/Tabs.js';
import { listRules } from '../../features/plans/rules.js';
import { summarizeRule } from '../../features/plans/summary.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { PlanBadge } from './PlanBadge.js';

const route = getRouteApi('/_shell/plans');

type PlanPart = 'current' | 'archived';

/** Every plan with its rules in short, who is on it and since when. */
export function PlansPage() {
  const { part = 'current' } = route.useSearch();
  const navigate = useNavigate({ from: '/plans' });
  const plans = useQuery(allPlansQuery);
  return (
    <Page
      title="Plans"
      crumbs={[{ label: 'Plans' }]}
      facts={[plans.data === undefined ? null : formatCount(plans.data.length, 'plan')]}
      actions={
        <Link to="/plans/new" className={buttonClass({ kind: 'primary' })}>
          <ButtonContent icon={IconPlus}>New plan</ButtonContent>
        </Link>
      }
    >
      <Loaded query={plans} height={400}>
        {(all) => {
          const plansIn = (planPart: PlanPart) =>
            all.filter(({ planStatus }) => (planStatus === 'archived') === (planPart === 'archived'));
          const visible = plansIn(part);
          return (
            <>
              <Tabs<PlanPart>
                label="Plans by state"
                current={part}
                onChange={(next) => navigate({ search: { part: next === 'current' ? undefined : next } })}
                tabs={[
                  { key: 'current', label: 'Current', count: plansIn('current').length },
                  { key: 'archived', label: 'Archived', count: plansIn('archived').length },
                ]}
              />
              {visible.length === 0 ? (
                <EmptyState
                  title={part === 'current' ? 'No plan yet' : 'No archived plan'}
                  actions={
                    part === 'current' ? (
                      <Link to="/plans/new" className={buttonClass()}>
                        Start from a template
                      </Link>
                    ) : undefined
                  }
                >
                  {part === 'current'
                    ? 'A plan says what people are paid for which deals.'
                    : 'Archived plans pay nothing new. What was earned under them stays.'}
                </EmptyState>
              ) : (
                <PlanTable plans={visible} />
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function PlanTable({ plans }: { readonly plans: readonly Plan[] }) {
  const { workspace } = useSession();
  const columns: readonly Column<Plan>[] = [
    {
      key: 'name',
      header: 'Plan',
      phone: 'title',
      sortBy: ({ name }) => name,
      cell: ({ planId, name, version }) => (
        <>
          <Link to="/plans/$planId" params={{ planId }} className="ink strong" {...rowAction}>
            {name}
          </Link>
          <span className="second">Version {version}</span>
        </>
      ),
    },
    {
      key: 'rules',
      header: 'Rules',
      phone: 'detail',
      cell: (plan) => (
        <ul>
          {listRules(plan).map((rule) => (
            <li key={rule.id}>
              {rule.name} <span className="dim">{summarizeRule(rule, plan.currency ?? workspace.currency)}</span>
            </li>
          ))}
        </ul>
      ),
    },
    {
      key: 'people',
      header: 'People',
      align: 'right',
      phone: 'amount',
      sortBy: ({ assignedCount = 0 }) => assignedCount,
      cell: ({ assignedCount = 0 }) => <span className="num">{formatNumber(assignedCount)}</span>,
    },
    {
      key: 'since',
      header: 'In force since',
      cell: ({ inForce }) => (
        <span className="dim">
          {inForce === null ? '–' : inForce.from === null ? 'always' : formatDay(inForce.from, 'year')}
        </span>
      ),
    },
    { key: 'state', header: 'State', phone: 'note', cell: ({ planStatus }) => <PlanBadge status={planStatus} /> },
  ];
  return <DataTable caption="Plans" columns={columns} rows={plans} rowKey={({ planId }) => planId} rowHeight={50} />;
}
