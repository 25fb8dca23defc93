import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { allPlansQuery } from '../../api/import-queries.js';
import { type PeopleFilter, peopleCountQuery } from '../../api/person-list-queries.js';
import { dealsQuery, type Plan } from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Skeleton } from '../../components/States.js';
import { StepMark } from '../../components/StepMark.js';
import { type ImportKey } from '../../features/imports/kind.js';
import { listRules, needsQuota } from '../../features/plans/rules.js';
import { formatCount } from '../../shared/format/numbers.js';
import styles from './Overview.module.css';
import { rememberSetUp } from './was-set-up.js';

interface Item {
  readonly title: string;
  readonly detail: string;
  readonly isDone: boolean;
  readonly to: '/imports/$kind' | '/plans' | '/plans/new' | '/assignments' | '/quotas';
  /** What the page imports. */
  readonly kind?: ImportKey;
  readonly fix: string;
}

/** What a workspace needs before it can pay. Items complete themselves, and the list disappears with the last one. */
export function SetUp() {
  const { items, isPending } = useItems();
  const { workspaceId } = useSession().workspace;
  const isComplete = items?.every(({ isDone }) => isDone) === true;
  useEffect(() => {
    if (isComplete) rememberSetUp(workspaceId);
  }, [isComplete, workspaceId]);
  // Most workspaces are set up, so that nothing takes its place.
  if (isPending) return <Skeleton height={0} />;
  if (items === null) return null;
  if (isComplete) return null;
  const done = items.filter(({ isDone }) => isDone).length;
  return (
    <section>
      <div className={styles.head}>
        <h2>Set-up</h2>
        <span className="dim">
          {done} of {items.length}
        </span>
      </div>
      <ul className={blocks.rows} aria-label="Set-up">
        {items.map(({ title, detail, isDone, to, kind, fix }) => (
          <li key={title}>
            <span className={styles.item}>
              <StepMark state={isDone ? 'done' : 'open'} />
              <span>
                <span className="strong">{title}</span>
                <span className="unseen">{isDone ? ', done' : ', to do'}</span>
                <span className="second">{detail}</span>
              </span>
            </span>
            {isDone ? null : (
              <Link to={to} params={{ kind }}>
                {fix}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The items, or null if something did not load. */
function useItems(): { readonly items: readonly Item[] | null; readonly isPending: boolean } {
  const queries = [
    useQuery(dealsQuery({ limit: '1' })),
    useQuery(allPlansQuery),
    useQuery(peopleCountQuery(sellers)),
    useQuery(peopleCountQuery({ ...sellers, assigned: 'true' })),
    useQuery(peopleCountQuery({ ...sellers, roles: 'rep', assigned: 'false' })),
    useQuery(peopleCountQuery({ hasQuota: 'true' })),
  ] as const;
  const [deals, plans, ...counts] = queries;
  const [all, onPlan, repsWithout, withQuota] = counts.map(({ data }) => data);
  const items =
    deals.data === undefined ||
    plans.data === undefined ||
    all === undefined ||
    onPlan === undefined ||
    repsWithout === undefined ||
    withQuota === undefined
      ? null
      : buildItems({ plans: plans.data, deals: deals.data.count, sellers: all, onPlan, repsWithout, withQuota });
  return { items, isPending: queries.some(({ isPending }) => isPending) };
}

/** People who may earn commission: reps must be on a plan, managers may be. */
const sellers: PeopleFilter = { active: 'true', roles: 'rep,manager' };

interface Stored {
  readonly deals: number;
  readonly plans: readonly Plan[];
  /** Numbers of people. */
  readonly sellers: number;
  readonly onPlan: number;
  readonly repsWithout: number;
  readonly withQuota: number;
}

function buildItems({ deals, plans, sellers, onPlan, repsWithout, withQuota }: Stored): readonly Item[] {
  return [
    {
      title: 'People',
      detail: sellers === 0 ? 'No seller yet' : formatCount(sellers, 'person', 'people'),
      isDone: sellers > 0,
      to: '/imports/$kind',
      kind: 'people',
      fix: 'Import',
    },
    {
      title: 'Deals',
      detail: deals === 0 ? 'From a file or a CRM' : formatCount(deals, 'deal'),
      isDone: deals > 0,
      to: '/imports/$kind',
      kind: 'deals',
      fix: 'Import',
    },
    planItem(plans),
    {
      title: 'Assignments',
      detail: `${onPlan} of ${formatCount(sellers, 'person', 'people')}; a manager needs no plan`,
      isDone: onPlan > 0 && repsWithout === 0,
      to: '/assignments',
      fix: 'Assign',
    },
    quotaItem(plans, withQuota),
  ];
}

function planItem(plans: readonly Plan[]): Item {
  const active = plans.filter(({ planStatus }) => planStatus === 'active');
  return {
    title: 'Plan',
    detail: active.length === 0 ? 'No plan is active' : active.map(({ name }) => name).join(', '),
    isDone: active.length > 0,
    to: plans.length === 0 ? '/plans/new' : '/plans',
    fix: plans.length === 0 ? 'Build' : 'Activate',
  };
}

function quotaItem(plans: readonly Plan[], people: number): Item {
  const isNeeded = plans.some((plan) => listRules(plan).some(needsQuota));
  return {
    title: 'Quotas',
    detail: isNeeded
      ? `${formatCount(people, 'person', 'people')} with a quota`
      : plans.length === 0
        ? 'After the plan'
        : 'No plan needs any',
    isDone: plans.length > 0 && (!isNeeded || people > 0),
    to: '/quotas',
    fix: 'Set',
  };
}
