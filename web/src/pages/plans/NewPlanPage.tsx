import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { templatesQuery } from '../../api/plan-queries.js';
import { isPersisted } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import { Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { PayoutCurve } from '../../components/PayoutCurve.js';
import { payoutCurve } from '../../features/plans/curve.js';
import { type PlanTemplate, toTerms } from '../../features/plans/draft.js';
import { sharedTiers } from '../../features/plans/rules.js';
import { summarizeRule } from '../../features/plans/summary.js';
import { newDraftKey } from './builder/use-builder.js';
import styles from './Plans.module.css';

/** Plans to start from, each with its rules in words and its payout curve. */
export function NewPlanPage() {
  const templates = useQuery(templatesQuery);
  return (
    <Page
      title="New plan"
      crumbs={[{ label: 'Plans', to: '/plans' }, { label: 'New plan' }]}
      facts={['Start from the closest template. You can change everything']}
    >
      <Loaded query={templates} height={600}>
        {(all) => {
          const visible = all.map(withCurve);
          return (
            <>
              {/* The cards of a row are equally high: those without a curve have rows of their own. */}
              <ul className={styles.gallery}>
                <li>
                  <Link to="/plans/new/edit" className={styles.template}>
                    <h2>Blank plan</h2>
                    <p className="dim">One rule and a condition on won deals.</p>
                    <Unsaved template={undefined} />
                  </Link>
                </li>
                <Templates visible={visible.filter(({ curve }) => curve === null)} />
              </ul>
              <ul className={styles.gallery}>
                <Templates visible={visible.filter(({ curve }) => curve !== null)} />
              </ul>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** A plan that was begun in this tab and is neither saved nor discarded. */
function Unsaved({ template }: { readonly template: string | undefined }) {
  return isPersisted(newDraftKey(template)) ? <p className="brand strong">Continue your unsaved plan</p> : null;
}

/** The rules of the template, and the payout curve of the first one if it has tiers. */
function withCurve(template: PlanTemplate) {
  const { rules } = toTerms(template.planConfig.config ?? {});
  const [first] = rules;
  return { template, rules, curve: first === undefined || first.tiers.length < 2 ? null : payoutCurve(first, 100_000) };
}

type VisibleTemplate = ReturnType<typeof withCurve>;

function Templates({ visible }: { readonly visible: readonly VisibleTemplate[] }) {
  return visible.map((one) => (
    <li key={one.template.templateId}>
      <Template {...one} />
    </li>
  ));
}

function Template({ template: { templateId, name, description }, rules, curve }: VisibleTemplate) {
  const { workspace } = useSession();
  const [first] = rules;
  return (
    <Link to="/plans/new/edit" search={{ template: templateId }} className={styles.template}>
      <h2>{name}</h2>
      <p className="dim">{description}</p>
      <Unsaved template={templateId} />
      {curve === null || first === undefined ? null : (
        <PayoutCurve
          now={curve}
          nowName={first.name}
          before={null}
          beforeName={null}
          thresholds={sharedTiers(first).map(({ minThreshold }) => minThreshold)}
          currency={workspace.currency}
        />
      )}
      <ul className={styles.templateRules}>
        {rules.map((rule) => (
          <li key={rule.name}>
            <span className="strong">{rule.name}</span>{' '}
            <span className="dim">{summarizeRule(rule, workspace.currency)}</span>
          </li>
        ))}
      </ul>
    </Link>
  );
}
