import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type Plan, planHistoryQuery } from '../../api/queries.js';
import { useSession } from '../../app/session.js';
import { ButtonContent, buttonClass } from '../../components/Button.js';
import { LoadedPage } from '../../components/LoadedPage.js';
import { Card, Page } from '../../components/Page.js';
import { PlanAcceptance } from '../../features/acceptance/PlanAcceptance.js';
import { listRules } from '../../features/plans/rules.js';
import { summarizeRule } from '../../features/plans/summary.js';
import { editedVersion, timelineWords } from '../../features/plans/versions.js';
import { conditionLines } from '../../features/plans/words.js';
import { formatDay } from '../../shared/format/dates.js';
import { formatCount } from '../../shared/format/numbers.js';
import { Overrides } from './Overrides.js';
import { PlanActions } from './PlanActions.js';
import { PlanBadge } from './PlanBadge.js';
import styles from './Plans.module.css';
import { Versions } from './Versions.js';

const route = getRouteApi('/_shell/plans/$planId');

/** A plan: what is in force, its timeline and versions, who is on it, and terms of single people. */
export function PlanPage() {
  const { planId } = route.useParams();
  const history = useQuery(planHistoryQuery(planId));
  return (
    <LoadedPage query={history} title="Plan" crumbs={[{ label: 'Plans', to: '/plans' }]} height={640}>
      {(versions) => <Content versions={versions} />}
    </LoadedPage>
  );
}

function Content({ versions }: { readonly versions: readonly Plan[] }) {
  const { workspace } = useSession();
  const [newest] = versions;
  if (newest === undefined) return null;
  const visible =
    versions.find(({ planVersionId }) => planVersionId === newest.inForce?.planVersionId) ??
    editedVersion(versions) ??
    newest;
  const currency = visible.currency ?? workspace.currency;
  const people = newest.assignedCount ?? newest.assignedReps.length;
  const conditions = conditionLines(visible.dealConditions as never);
  return (
    <Page
      title={newest.name}
      crumbs={[{ label: 'Plans', to: '/plans' }, { label: newest.name }]}
      facts={[
        <PlanBadge key="state" status={newest.planStatus} />,
        newest.inForce === null
          ? 'no version is in force today'
          : `version ${visible.version}${visible === newest ? '' : ` of ${newest.version}`}`,
        formatCount(people, 'person', 'people'),
        currency,
      ]}
      actions={
        <>
          <PlanActions plan={newest} />
          <Link
            to="/plans/$planId/edit"
            params={{ planId: newest.planId }}
            className={buttonClass({ kind: 'primary' })}
          >
            <ButtonContent icon={IconPencil}>Edit</ButtonContent>
          </Link>
        </>
      }
    >
      <Card
        title={newest.inForce === null ? `What version ${visible.version} would pay` : 'What it pays today'}
        note={newest.inForce === null ? `${visible.versionStatus}, not in force` : `version ${visible.version}`}
      >
        {newest.inForce === null ? <p>{timelineWords(newest.timeline)}</p> : null}
        {conditions.length === 0 ? null : <p>On deals where {conditions.join('; ')}.</p>}
        <ul className={styles.templateRules}>
          {listRules(visible).map((rule) => (
            <li key={rule.id}>
              <span className="strong">{rule.name}</span> <span className="dim">{summarizeRule(rule, currency)}</span>
              {rule.conditions.length === 0 ? null : (
                <span className="second">{conditionLines(rule.conditions).join('; ')}</span>
              )}
            </li>
          ))}
        </ul>
      </Card>
      <Timeline plan={newest} />
      <Versions versions={versions} currency={currency} />
      <Card title="People" note={formatCount(people, 'person', 'people')}>
        {newest.assignedReps.length === 0 ? (
          <p className="dim">
            The plan has no people today. <Link to="/assignments">Assign people</Link>
          </p>
        ) : (
          <p>
            {newest.assignedReps.map(({ name }) => name).join(', ')}
            {people > newest.assignedReps.length ? (
              <>
                {' '}
                and{' '}
                <Link to="/assignments">
                  {formatCount(people - newest.assignedReps.length, 'more person', 'more people')}
                </Link>
              </>
            ) : null}
          </p>
        )}
      </Card>
      <PlanAcceptance
        planId={newest.planId}
        planVersionId={visible.planVersionId}
        mode={visible.acceptance ?? 'none'}
      />
      <Overrides plan={visible} history={versions} currency={currency} />
    </Page>
  );
}

/** Which version holds on which days. */
function Timeline({ plan: { timeline, inForce } }: { readonly plan: Plan }) {
  if (timeline.length === 0) return null;
  return (
    <Card title="Timeline">
      <ol className={styles.timeline}>
        {timeline.map(({ planVersionId, version, from, to }) => (
          <li
            key={`${planVersionId} ${from}`}
            aria-current={planVersionId === inForce?.planVersionId ? 'true' : undefined}
          >
            <span className="strong">Version {version}</span>
            <span className="second">
              {from === null ? 'from the beginning' : `from ${formatDay(from, 'year')}`}
              {to === null ? '' : ` to ${formatDay(to, 'year')}`}
            </span>
          </li>
        ))}
      </ol>
    </Card>
  );
}
