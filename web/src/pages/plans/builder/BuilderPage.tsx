import { IconBraces, IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { fieldsWithLinesQuery, templatesQuery } from '../../../api/plan-queries.js';
import { type Plan, planHistoryQuery } from '../../../api/queries.js';
import { rateTablesQuery } from '../../../api/rate-table-queries.js';
import { usePersistedDialog } from '../../../app/persisted-state.js';
import { useSession } from '../../../app/session.js';
import { Button, ButtonContent, buttonClass } from '../../../components/Button.js';
import { InlineInput } from '../../../components/Inline.js';
import { LoadedPage } from '../../../components/LoadedPage.js';
import { Page } from '../../../components/Page.js';
import { Skeleton } from '../../../components/States.js';
import { Badge } from '../../../components/StatusBadge.js';
import { copyOfPlan, type Draft, newRule, toTerms, withMovedConditions, won } from '../../../features/plans/draft.js';
import { type Field, planFields } from '../../../features/plans/fields.js';
import { splitFields } from '../../../features/plans/line-fields.js';
import { editedVersion } from '../../../features/plans/versions.js';
import { formatDay } from '../../../shared/format/dates.js';
import { currencyChoices } from '../../../shared/format/regions.js';
import styles from './Builder.module.css';
import { ConditionList } from './ConditionList.js';
import { FormField, SelectField } from './FormField.js';
import { PreviewBar, usePreview } from './PreviewBar.js';
import { RuleForm } from './RuleForm.js';
import { RuleList } from './RuleList.js';
import { lackingTables, TemplateTables } from './TemplateTables.js';
import { TestsPanel } from './TestsPanel.js';
import { DiscardButton, LeaveGuard } from './UnsavedChanges.js';
import { type Builder, type Part, useBuilder } from './use-builder.js';
import { findQuota, useSimulation } from './use-simulation.js';
import { Warnings } from './Warnings.js';

const SimulationPanel = lazy(() =>
  import('./SimulationPanel.js').then((module) => ({ default: module.SimulationPanel })),
);
const FxFields = lazy(() => import('./FxFields.js').then((module) => ({ default: module.FxFields })));
const JsonDialog = lazy(() => import('./JsonDialog.js').then((module) => ({ default: module.JsonDialog })));

const editRoute = getRouteApi('/_shell/plans/$planId/edit');
const newRoute = getRouteApi('/_shell/plans/new/edit');

const crumbs = [{ label: 'Plans', to: '/plans' }];

const blank: Draft = {
  name: 'New plan',
  terms: { dealConditions: [won], rules: [newRule('Commission')] },
  effectiveStart: null,
  effectiveEnd: null,
  currency: null,
  fieldMapping: null,
  tests: [],
};

/** Changes a plan: rules at the left, the form of one in the middle, its effect on a person at the right. */
export function EditPlanPage() {
  const { planId } = editRoute.useParams();
  const { rule } = editRoute.useSearch();
  const history = useQuery(planHistoryQuery(planId));
  return (
    <LoadedPage query={history} title="Plan" crumbs={crumbs} height={640}>
      {(versions) => <BuilderPage key={planId} history={versions} initial={blank} openRule={rule} />}
    </LoadedPage>
  );
}

/** A new plan, from another plan, from a template or from nothing. */
export function NewPlanEditPage() {
  const { template, copy } = newRoute.useSearch();
  return copy === undefined ? <NewPlanFromTemplate template={template} /> : <NewPlanFromPlan planId={copy} />;
}

function NewPlanFromPlan({ planId }: { readonly planId: string }) {
  const history = useQuery(planHistoryQuery(planId));
  return (
    <LoadedPage query={history} title="New plan" crumbs={crumbs} height={640}>
      {(versions) => {
        const copied = editedVersion(versions);
        return (
          <BuilderPage
            key={planId}
            history={[]}
            template={`copy of ${planId}`}
            initial={copied === undefined ? blank : copyOfPlan(copied)}
          />
        );
      }}
    </LoadedPage>
  );
}

function NewPlanFromTemplate({ template }: { readonly template: string | undefined }) {
  const templates = useQuery(templatesQuery);
  const { data: stored } = useQuery(rateTablesQuery);
  return (
    <LoadedPage query={templates} title="New plan" crumbs={crumbs} height={640}>
      {(all) => {
        const chosen = all.find(({ templateId }) => templateId === template);
        if (chosen?.tables !== undefined && stored === undefined) return <Skeleton height={640} />;
        const lacking = chosen === undefined ? [] : lackingTables(chosen, stored ?? []);
        if (lacking.length > 0)
          return (
            <Page title={chosen?.name ?? ''} crumbs={crumbs}>
              <TemplateTables tables={lacking} />
            </Page>
          );
        const { config, tests = [] } = chosen?.planConfig ?? {};
        return (
          <BuilderPage
            key={template ?? ''}
            history={[]}
            template={template}
            initial={
              config === undefined
                ? blank
                : { ...blank, name: chosen?.name ?? '', terms: toTerms(config), tests: tests as never }
            }
          />
        );
      }}
    </LoadedPage>
  );
}

interface BuilderPageProps {
  /** The versions of the plan, newest first; none for a new plan. */
  readonly history: readonly Plan[];
  readonly initial: Draft;
  /** The template of a new plan. */
  readonly template?: string | undefined;
  /** Name of the rule that is open first. */
  readonly openRule?: string | undefined;
}

function BuilderPage({ history, initial, template, openRule }: BuilderPageProps) {
  const { workspace } = useSession();
  const builder = useBuilder(history, initial, template);
  const [part, setPart] = useState<Part>(() =>
    Math.max(
      0,
      builder.draft.terms.rules.findIndex(({ name }) => name === openRule),
    ),
  );
  const simulation = useSimulation(builder);
  const preview = usePreview(builder);
  const { draft, plan } = builder;
  const currency = draft.currency ?? workspace.currency;
  const rule = part === 'conditions' ? undefined : (draft.terms.rules[part] ?? draft.terms.rules[0]);
  const shownPart = rule === undefined ? 'conditions' : draft.terms.rules.indexOf(rule);
  return (
    <Page
      isWide
      title={
        <InlineInput
          label="Name of the plan"
          className={styles.planName}
          value={draft.name}
          isWrong={draft.name.trim() === ''}
          onChange={({ currentTarget }) => builder.edit({ name: currentTarget.value })}
        />
      }
      crumbs={[{ label: 'Plans', to: '/plans' }, { label: plan === null ? 'New plan' : plan.name }]}
      facts={listFacts(builder, history)}
      actions={<Actions builder={builder} />}
    >
      <div className={styles.builder}>
        <div className={styles.left}>
          <RuleList builder={builder} currency={currency} part={shownPart} onPart={setPart} />
          <TestsPanel builder={builder} currency={currency} />
        </div>
        <div className={styles.form}>
          <PartForm
            builder={builder}
            shownPart={shownPart}
            currency={currency}
            quota={findQuota(simulation.now, rule)}
            onPart={setPart}
          />
          <Warnings builder={builder} history={history} state={preview} />
        </div>
        <Suspense fallback={<Skeleton height={640} />}>
          <SimulationPanel builder={builder} rule={rule} currency={currency} simulation={simulation} />
        </Suspense>
      </div>
      <PreviewBar builder={builder} state={preview} />
      <LeaveGuard builder={builder} />
    </Page>
  );
}

function listFacts({ plan, base, source, isChanged }: Builder, history: readonly Plan[]) {
  if (plan === null)
    return [
      <Badge key="state" tone="neutral">
        Not saved yet
      </Badge>,
    ];
  const inForce = history.find(({ planVersionId }) => planVersionId === plan.inForce?.planVersionId);
  return [
    <Badge key="state" tone={source?.versionStatus === 'active' && plan.planStatus === 'active' ? 'good' : 'neutral'}>
      {isChanged ? `Version ${plan.version + 1}, not saved` : `Version ${base?.version}, ${source?.versionStatus}`}
    </Badge>,
    inForce === undefined
      ? 'no version is in force'
      : `version ${inForce.version} in force${plan.inForce?.from == null ? '' : ` since ${formatDay(plan.inForce.from, 'long')}`}`,
    isChanged ? 'kept in this browser until you save' : null,
  ];
}

function Actions({ builder }: { readonly builder: Builder }) {
  const { plan, draft, edit } = builder;
  const name = plan?.planId ?? 'new';
  const [isJsonOpen, setJsonOpen] = usePersistedDialog(`plan-json ${name}`);
  return (
    <>
      <DiscardButton builder={builder} />
      <Button icon={IconBraces} onClick={() => setJsonOpen(true)}>
        JSON
      </Button>
      {plan === null ? null : (
        <Link to="/plans/$planId" params={{ planId: plan.planId }} className={buttonClass()}>
          <ButtonContent icon={IconHistory}>Versions</ButtonContent>
        </Link>
      )}
      <span className={styles.from}>
        <span className="dim" aria-hidden="true">
          In force from
        </span>
        <InlineInput
          label="In force from"
          type="date"
          value={draft.effectiveStart ?? ''}
          onChange={({ currentTarget }) => edit({ effectiveStart: currentTarget.value || null })}
        />
      </span>
      <Suspense fallback={null}>
        {isJsonOpen ? <JsonDialog name={name} draft={draft} onApply={edit} onClose={() => setJsonOpen(false)} /> : null}
      </Suspense>
    </>
  );
}

interface PartFormProps {
  readonly builder: Builder;
  readonly shownPart: Part;
  readonly currency: string;
  readonly quota: number | null;
  readonly onPart: (part: Part) => void;
}

function PartForm({ builder, shownPart, currency, quota, onPart }: PartFormProps) {
  const { data = [] } = useQuery(fieldsWithLinesQuery);
  const { ofDeals, ofLines } = splitFields(data);
  const fields = planFields(ofDeals);
  const { draft, saved, editTerms, editRule } = builder;
  const rule = shownPart === 'conditions' ? undefined : draft.terms.rules[shownPart];
  if (shownPart === 'conditions' || rule === undefined)
    return <PlanForm builder={builder} fields={fields} currency={currency} />;
  return (
    <RuleForm
      key={shownPart}
      rule={rule}
      before={saved?.terms.rules.find(({ name }) => name === rule.name)}
      fields={fields}
      productFields={ofLines}
      currency={currency}
      quota={quota}
      ruleNames={draft.terms.rules.flatMap((other) => (other === rule ? [] : [other.name]))}
      planConditions={draft.terms.dealConditions}
      onChange={(change) => editRule(shownPart, change)}
      onMoveConditions={() => editTerms(withMovedConditions(draft.terms, rule))}
      onRemove={() => {
        editTerms({ rules: draft.terms.rules.filter((_, index) => index !== shownPart) });
        onPart(Math.max(0, shownPart - 1));
      }}
    />
  );
}

interface PlanFormProps extends Pick<PartFormProps, 'builder' | 'currency'> {
  readonly fields: readonly Field[];
}

/** What holds for every rule of the plan: its last day, its currency and its conditions. */
function PlanForm({ builder: { draft, edit, editTerms }, fields, currency }: PlanFormProps) {
  const { currency: workspaceCurrency } = useSession().workspace;
  return (
    <>
      <h2>The plan</h2>
      <div className={styles.row}>
        <FormField label="Last day">
          <InlineInput
            label="Last day of the plan"
            type="date"
            value={draft.effectiveEnd ?? ''}
            onChange={({ currentTarget }) => edit({ effectiveEnd: currentTarget.value || null })}
          />
        </FormField>
        <SelectField
          label="Currency"
          name="Currency of the plan"
          value={draft.currency ?? ''}
          choices={[
            ['', `${workspaceCurrency}, as the workspace`],
            ...currencyChoices(draft.currency ?? workspaceCurrency),
          ]}
          onValue={(chosen) => edit({ currency: chosen === '' ? null : chosen })}
        />
      </div>
      <Suspense>
        <FxFields fx={draft.fx} currency={currency} onChange={(fx) => edit({ fx })} />
      </Suspense>
      <h3>Pays on deals where</h3>
      <p className="dim">
        All of them must hold for any rule to pay. Without a condition on the stage, open deals pay too.
      </p>
      <ConditionList
        label="Conditions of the plan"
        conditions={draft.terms.dealConditions}
        fields={fields}
        onChange={(dealConditions) => editTerms({ dealConditions })}
      />
    </>
  );
}
