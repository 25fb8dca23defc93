import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { overrideEffectQuery } from '../../api/effect-queries.js';
import { overridesQuery, type Plan } from '../../api/queries.js';
import { showMessage } from '../../app/messages.js';
import { type PersistedForm, usePersistedChoice, usePersistedForm } from '../../app/persisted-state.js';
import { Button, LinkButton } from '../../components/Button.js';
import { DecimalInput } from '../../components/DecimalInput.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { CheckField, TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { PersonChoice } from '../../features/people/PersonChoice.js';
import { type Overrides as AllOverrides, listRules, type PlanRule, sharedTiers } from '../../features/plans/rules.js';
import {
  carriedTerms,
  hasSeveralDays,
  isRate,
  laterVersions,
  type OwnTerms,
  ownTerms,
  type StoredTiers,
  storedTiers,
  tierKey,
  toTerms,
} from '../../features/plans/versions.js';
import { payWords, thresholdWords } from '../../features/plans/words.js';
import { formatDay, isDay } from '../../shared/format/dates.js';
import styles from './Plans.module.css';

interface OverridesProps {
  /** The version whose terms are shown. */
  readonly plan: Plan;
  /** All versions, newest first. */
  readonly history: readonly Plan[];
  readonly currency: string;
}

type Override = AllOverrides[number];

/** Rates that single people have in place of those of the plan. */
export function Overrides({ plan, history, currency }: OverridesProps) {
  const overrides = useQuery(overridesQuery(plan.planVersionId, ''));
  const [edited, setEdited] = usePersistedChoice<string>(`terms ${plan.planVersionId}`);
  return (
    <Card
      title="Individual terms"
      action={
        <Button
          disabled={plan.assignedReps.length === 0}
          onClick={() => setEdited(plan.assignedReps[0]?.repId ?? null)}
        >
          Add
        </Button>
      }
    >
      <Loaded query={overrides} height={20}>
        {(all) => (
          <>
            {all.length === 0 ? (
              <p className="dim">Everyone on the plan has the same rates.</p>
            ) : (
              <ul className={styles.versions}>
                {all.map((override) => (
                  <li key={override.repId} className={styles.versionHead}>
                    <span className="strong">{override.repName}</span>
                    <span>{describeTerms(override, plan, currency)}</span>
                    <LinkButton className="strong" onClick={() => setEdited(override.repId)}>
                      Change<span className="unseen"> the terms of {override.repName}</span>
                    </LinkButton>
                  </li>
                ))}
              </ul>
            )}
            {edited === null ? null : (
              <OverrideDialog
                key={edited}
                plan={plan}
                history={history}
                currency={currency}
                overrides={all}
                repId={edited}
                onRep={setEdited}
                onClose={() => setEdited(null)}
              />
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function describeTerms({ rules }: Override, plan: Plan, currency: string): string {
  return rules
    .map(({ ruleId, ruleName, tiers }) => {
      const rule = listRules(plan).find(({ id }) => id === ruleId);
      const parts = tiers.map((tier) => {
        const from = rule === undefined ? tier.minThreshold : thresholdWords(rule, tier.minThreshold);
        return `${payWords(tier, currency)} from ${from}${rangeWords(tier.from, tier.to)}`;
      });
      return `${ruleName}: ${parts.join(', ')}`;
    })
    .join('; ');
}

/** The first and last day of terms that do not hold on all days. */
function rangeWords(from: string | null | undefined, to: string | null | undefined): string {
  const first = from == null ? '' : ` since ${formatDay(from, 'year')}`;
  return `${first}${to == null ? '' : ` until ${formatDay(to, 'year')}`}`;
}

interface OverrideDialogProps extends OverridesProps {
  readonly overrides: readonly Override[];
  readonly repId: string;
  readonly onRep: (repId: string) => void;
  readonly onClose: () => void;
}

/** Why the days of the terms are none; null for days, and for no days. */
function dayProblem({ from, to }: OwnTerms): string | null {
  if ([from, to].some((day) => day !== '' && !isDay(day))) return 'Enter a day with a four-digit year.';
  return from !== '' && to !== '' && to < from ? 'The last day is before the first one.' : null;
}

function OverrideDialog({ plan, history, currency, overrides, repId, onRep, onClose }: OverrideDialogProps) {
  const [stored] = useState(() => storedTiers(overrides.find((override) => override.repId === repId)));
  const form = usePersistedForm<OwnTerms>(`terms ${plan.planVersionId} ${repId}`, toTerms(stored));
  const [isCarried, setCarried] = useState(true);
  const problem = dayProblem(form.values);
  const rules = ownTerms(plan, form.values, stored);
  const later = laterVersions(history, plan).map((version) => ({ version, ...carriedTerms(plan, version, rules) }));
  const alsoIn = (isCarried ? later : []).map((carried) => ({
    planVersionId: carried.version.planVersionId,
    rules: carried.rules,
  }));
  const { planId, planVersionId } = plan;
  const [settledTerms] = useDebouncedValue([{ planVersionId, rules }, ...alsoIn], 500);
  const isSendable = form.isChanged && problem === null;
  const effect = useQuery({ ...overrideEffectQuery(planId, repId, settledTerms), enabled: isSendable });
  const save = useChange({
    send: () => api.setPlanOverride({ params: { planVersionId, repId }, body: { rules, alsoIn } }),
    onDone: () => {
      showMessage('The terms were saved.');
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title="Individual terms of a person"
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      problem={problem}
      action={{ disabled: !isSendable, children: 'Save terms' }}
    >
      <PersonChoice
        label="Person"
        of={{ planId }}
        value={repId}
        onChange={({ currentTarget }) => onRep(currentTarget.value)}
      />
      <p className="dim">
        An empty value is that of the plan. Without a first and a last day, the terms hold on all days of version{' '}
        {plan.version}
        {daysWords(plan)}, also past ones.
        {hasSeveralDays(stored) ? ' Some tiers have other days, which they keep unless you change the day here.' : ''}
      </p>
      <div className={styles.days}>
        <TextField label="First day" type="date" {...form.field('from')} />
        <TextField label="Last day" type="date" {...form.field('to')} />
      </div>
      {listRules(plan).map((rule) => (
        <RuleValues key={rule.id} rule={rule} currency={currency} stored={stored} form={form} />
      ))}
      {later.length === 0 ? null : (
        <CheckField
          label={`Also in ${later.map(({ version }) => `version ${version.version}`).join(' and ')}`}
          hint={carryWords(later, isCarried)}
          checked={isCarried}
          onChange={({ currentTarget }) => setCarried(currentTarget.checked)}
        />
      )}
      {isSendable ? <EffectOfChange query={effect} what="change" /> : null}
    </Dialog>
  );
}

interface RuleValuesProps {
  readonly rule: PlanRule;
  readonly currency: string;
  readonly stored: StoredTiers;
  readonly form: PersistedForm<OwnTerms>;
}

function RuleValues({ rule, currency, stored, form }: RuleValuesProps) {
  const { values, tables } = form.values;
  return (
    <fieldset className={styles.terms}>
      <legend>{rule.name}</legend>
      {sharedTiers(rule).map((tier) => {
        const key = tierKey(rule.id, tier.tierIndex);
        const from = thresholdWords(rule, tier.minThreshold);
        const own = stored[key];
        if (own !== undefined && tables.includes(key))
          return (
            <div key={key} className={styles.term}>
              <span className="dim">
                from {from}: {payWords(own, currency)}
              </span>
              <LinkButton onClick={() => form.change({ tables: tables.filter((other) => other !== key) })}>
                Remove
                <span className="unseen">
                  {' '}
                  the rate table of {rule.name} from {from}
                </span>
              </LinkButton>
            </div>
          );
        return (
          <div key={key} className={styles.term}>
            <span className="dim">from {from}</span>
            <DecimalInput
              label={`${rule.name} from ${from}`}
              value={values[key]}
              {...(isRate(tier, own) ? ({ places: 2, unit: '%' } as const) : {})}
              placeholder={payWords(tier, currency).replace(/\s?%$/, '')}
              onValue={(value) => form.change({ values: { ...values, [key]: value } })}
            />
          </div>
        );
      })}
    </fieldset>
  );
}

/** The days of the version on the timeline. */
function daysWords({ timeline, planVersionId }: Plan): string {
  const days = timeline.filter((span) => span.planVersionId === planVersionId);
  const words = days.map(({ from, to }) =>
    [from === null ? '' : ` from ${formatDay(from, 'year')}`, to === null ? '' : ` to ${formatDay(to, 'year')}`].join(
      '',
    ),
  );
  return words.length === 0
    ? ', which is not in force'
    : words.join(' and').replace(/^ ?/, words[0] === '' ? '' : ', ');
}

function carryWords(
  later: readonly { readonly version: Plan; readonly lost: readonly string[] }[],
  isCarried: boolean,
): string {
  if (!isCarried) return 'Without it the terms end where that version begins.';
  const lost = later.filter((carried) => carried.lost.length > 0);
  if (lost.length === 0) return 'So that the terms do not end where that version begins.';
  return `Not carried, because the tiers differ: ${lost.map((carried) => `${carried.lost.join(', ')} in version ${carried.version.version}`).join('; ')}.`;
}
