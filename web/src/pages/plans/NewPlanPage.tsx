import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { templatesQuery } from '../../api/plan-queries.js';
import { isKept } from '../../app/kept-state.js';
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
        {(all) => (
          <ul className={styles.gallery}>
            <li>
              <Link to="/plans/new/edit" className={styles.template}>
                <h2>Blank plan</h2>
                <p className="dim">One rule and a condition on won deals.</p>
                <Unsaved template={undefined} />
              </Link>
            </li>
            {all.map((template) => (
              <li key={template.templateId}>
                <Template template={template} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Page>
  );
}

/** A plan that was begun in this tab and is neither saved nor discarded. */
function Unsaved({ template }: { readonly template: string | undefined }) {
  return isKept(newDraftKey(template)) ? <p className="brand strong">Continue your unsaved plan</p> : null;
}

function Template({ template: { templateId, name, description, planConfig } }: { readonly template: PlanTemplate }) {
  const { workspace } = useSession();
  const { rules } = toTerms(planConfig.config ?? {});
  const [first] = rules;
  const curve = first === undefined || first.tiers.length < 2 ? null : payoutCurve(first, 100_000);
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
