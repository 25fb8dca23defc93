import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { overridesQuery, type Plan } from '../../api/queries.js';
import { type KeptForm, useKeptChoice, useKeptForm } from '../../app/kept-state.js';
import { showMessage } from '../../app/messages.js';
import { Button, LinkButton } from '../../components/Button.js';
import { DecimalInput } from '../../components/DecimalInput.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { type Overrides as AllOverrides, type PlanRule, rulesOf, sharedTiers } from '../../plans/rules.js';
import { payWords, thresholdWords } from '../../plans/words.js';
import styles from './Plans.module.css';

interface OverridesProps {
  readonly plan: Plan;
  readonly currency: string;
}

type Override = AllOverrides[number];

/** Rates that single people have in place of those of the plan. */
export function Overrides({ plan, currency }: OverridesProps) {
  const overrides = useQuery(overridesQuery(plan.planVersionId, ''));
  const [edited, setEdited] = useKeptChoice<string>(`terms ${plan.planVersionId}`);
  return (
    <Card
      title="Terms of single people"
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
                    <span>{wordsOf(override, plan, currency)}</span>
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

function wordsOf({ rules }: Override, plan: Plan, currency: string): string {
  return rules
    .map(({ ruleId, ruleName, tiers }) => {
      const rule = rulesOf(plan).find(({ id }) => id === ruleId);
      const parts = tiers.map(
        (tier) =>
          `${payWords(tier, currency)} from ${rule === undefined ? tier.minThreshold : thresholdWords(rule, tier.minThreshold)}`,
      );
      return `${ruleName}: ${parts.join(', ')}`;
    })
    .join('; ');
}

interface OverrideDialogProps extends OverridesProps {
  readonly overrides: readonly Override[];
  readonly repId: string;
  readonly onRep: (repId: string) => void;
  readonly onClose: () => void;
}

/** The value of a tier for the person, by rule and tier; empty for the value of the plan. */
type Values = Readonly<Record<string, number | undefined>>;

/** The people on the plan, and those who have terms although they are on it no longer. */
function peopleOf({ assignedReps }: Plan, overrides: readonly Override[]): ReadonlyMap<string, string> {
  return new Map([
    ...assignedReps.map(({ repId, name }) => [repId, name] as const),
    ...overrides.map(({ repId, repName }) => [repId, repName] as const),
  ]);
}

function keyOf(ruleId: string, tierIndex: number): string {
  return `${ruleId} ${tierIndex}`;
}

function valuesOf(override: Override | undefined): Values {
  return Object.fromEntries(
    (override?.rules ?? []).flatMap(({ ruleId, tiers }) =>
      tiers.map(({ tierIndex, rate, flatAmount }) => [keyOf(ruleId, tierIndex), rate ?? flatAmount]),
    ),
  );
}

function OverrideDialog({ plan, currency, overrides, repId, onRep, onClose }: OverrideDialogProps) {
  const [before] = useState(() => valuesOf(overrides.find((one) => one.repId === repId)));
  const form = useKeptForm<Values>(`terms ${plan.planVersionId} ${repId}`, before);
  const save = useChange({
    send: () => send(plan, repId, form.values),
    onDone: () => {
      showMessage('The terms were saved.');
      form.clear();
      onClose();
    },
  });
  return (
    <Dialog
      title="Terms of one person"
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{ disabled: !form.isChanged, children: 'Save terms' }}
    >
      <Choice
        label="Person"
        value={repId}
        choices={[...peopleOf(plan, overrides)]}
        onChange={({ currentTarget }) => onRep(currentTarget.value)}
      />
      <p className="dim">An empty value is that of the plan. Without any value the person has the terms of the plan.</p>
      {rulesOf(plan).map((rule) => (
        <RuleValues key={rule.id} rule={rule} currency={currency} form={form} />
      ))}
    </Dialog>
  );
}

interface RuleValuesProps {
  readonly rule: PlanRule;
  readonly currency: string;
  readonly form: KeptForm<Values>;
}

function RuleValues({ rule, currency, form }: RuleValuesProps) {
  return (
    <fieldset className={styles.terms}>
      <legend>{rule.name}</legend>
      {sharedTiers(rule).map((tier) => {
        const key = keyOf(rule.id, tier.tierIndex);
        const from = thresholdWords(rule, tier.minThreshold);
        return (
          <div key={key} className={styles.term}>
            <span className="dim">from {from}</span>
            <DecimalInput
              label={`${rule.name} from ${from}`}
              value={form.values[key]}
              {...(tier.rate === undefined ? {} : ({ places: 2, unit: '%' } as const))}
              placeholder={payWords(tier, currency)}
              onValue={(value) => form.change({ [key]: value })}
            />
          </div>
        );
      })}
    </fieldset>
  );
}

async function send(plan: Plan, repId: string, values: Values): Promise<unknown> {
  const params = { planVersionId: plan.planVersionId, repId };
  const rules = rulesOf(plan).flatMap((rule) => {
    const tiers = sharedTiers(rule).flatMap(({ tierIndex, rate }) => {
      const value = values[keyOf(rule.id, tierIndex)];
      if (value === undefined) return [];
      return [{ tierIndex, ...(rate === undefined ? { flatAmount: value } : { rate: value }) }];
    });
    return tiers.length === 0 ? [] : [{ ruleId: rule.id, tiers }];
  });
  return rules.length === 0 ? api.deletePlanOverride({ params }) : api.setPlanOverride({ params, body: { rules } });
}
