import { IconFileImport } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Change, useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { quotaEffectQuery } from '../../api/effect-queries.js';
import { allPlansQuery } from '../../api/import-queries.js';
import { usePeopleById } from '../../api/people-by-id.js';
import { type Person } from '../../api/person-list-queries.js';
import { type Plan } from '../../api/queries.js';
import { type Quota, quotasOfPeopleQuery } from '../../api/set-up-queries.js';
import { showMessage, showProblem } from '../../app/messages.js';
import { usePersistedState } from '../../app/persisted-state.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button, ButtonContent, buttonClass } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { type CellNote, GridEditor } from '../../components/GridEditor.js';
import { cellKey, type Edits } from '../../components/grid-keys.js';
import { InlineSelect } from '../../components/Inline.js';
import { Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { PeriodPicker } from '../../components/PeriodPicker.js';
import { EmptyState } from '../../components/States.js';
import { useTogether } from '../../components/together.js';
import { readPeriod } from '../../features/imports/dates.js';
import { quotaRules } from '../../features/imports/quotas.js';
import { ListedPeople } from '../../features/people/ListedPeople.js';
import { usePeopleOfPlan } from '../../features/people/people-of-plan.js';
import { personFilterOf } from '../../features/people/person-filter.js';
import { PeoplePager } from '../../features/people/person-pages.js';
import { explainTarget, isProrated } from '../../features/people/working-time.js';
import { GridRowsNote, GridSaveLine } from '../../features/plans/GridSaveLine.js';
import { headingOf, listedEdits, maxGridRows, noEdits, periodsFor, without } from '../../features/plans/period-grid.js';
import {
  invertChanges,
  listChanges,
  type QuotaAmount,
  type QuotaChange,
  withStep,
} from '../../features/plans/quota-changes.js';
import { listRules, measureOf, type PlanRule } from '../../features/plans/rules.js';
import { UnknownYear } from '../../features/plans/UnknownYear.js';
import { todayIn } from '../../shared/format/dates.js';
import { formatCount, formatUnits } from '../../shared/format/numbers.js';
import { daysOf, formatPeriod, listFiscalYears } from '../../shared/format/periods.js';

const route = getRouteApi('/_shell/quotas');

/** The quotas of a year for one rule: people by period, to type into or to paste. */
export function QuotasPage() {
  const { workspace } = useSession();
  const navigate = useNavigate({ from: '/quotas' });
  const { year = todayIn(workspace.timezone).slice(0, 4), rule, ruleId } = route.useSearch();
  const plans = useQuery(allPlansQuery);
  return (
    <Page
      title="Quotas"
      crumbs={[{ label: 'Quotas' }]}
      facts={['The target of each rule: 100 % attainment']}
      isWide
      actions={
        <>
          <Link to="/imports/$kind" params={{ kind: 'quotas' }} className={buttonClass()}>
            <ButtonContent icon={IconFileImport}>Import</ButtonContent>
          </Link>
          <PeriodPicker
            period={year}
            lengths={[12]}
            onChange={(period) => navigate({ search: (present) => ({ ...present, year: period }) })}
          />
        </>
      }
    >
      <Loaded query={plans} height={480}>
        {(all) => {
          const choices = quotaRules(all);
          const chosen = choices.find(([id, label]) => id === ruleId || label === rule) ?? choices[0];
          const found = all
            .flatMap((plan) => listRules(plan).map((rule) => ({ plan, rule: rule })))
            .find((choice) => choice.rule.id === chosen?.[0]);
          if (chosen === undefined || found === undefined)
            return (
              <EmptyState
                title="No plan has a rule yet"
                actions={
                  <Link to="/plans/new" className={buttonClass()}>
                    New plan
                  </Link>
                }
              >
                Quotas belong to the rules of plans.
              </EmptyState>
            );
          return (
            <>
              <div className={blocks.filters}>
                <InlineSelect
                  label="Rule"
                  value={chosen[1]}
                  choices={choices.map(([, label]) => [label, label] as const)}
                  onChange={({ currentTarget }) =>
                    navigate({ search: (present) => ({ ...personFilterOf(present), year, rule: currentTarget.value }) })
                  }
                />
              </div>
              {found.rule.calendar === 'fiscal' && !listFiscalYears().includes(Number(year)) ? (
                <UnknownYear year={year} />
              ) : (
                <QuotaGrid key={`${found.rule.id} ${year}`} plan={found.plan} rule={found.rule} year={year} />
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

interface QuotaGridProps {
  readonly plan: Plan;
  readonly rule: PlanRule;
  readonly year: string;
}

function QuotaGrid({ plan, rule, year }: QuotaGridProps) {
  const { person, ...search } = route.useSearch();
  const filter = personFilterOf(search);
  const navigate = useNavigate({ from: '/quotas' });
  const [isEveryone, setEveryone] = useState(false);
  const [amount, setAmount] = useState<QuotaAmount>('target');
  const { list, counted } = usePeopleOfPlan({ planId: plan.planId, filter, pageSize: maxGridRows, isEveryone });
  const named = usePeopleById([person]);
  const repIds = withNamed(list.data?.reps ?? [], named.data?.get(person ?? '')).map(({ id }) => id);
  const together = useTogether({ list, named, quotas: useQuery(quotasOfPeopleQuery(plan.planId, repIds)) });
  return (
    <Loaded query={counted} height={520}>
      {({ count }) => (
        <>
          <ListedPeople
            filter={filter}
            count={count}
            visible={list.data?.count}
            onFilter={(next) =>
              navigate({ search: (present) => ({ year: present.year, rule: present.rule, ...next }), replace: true })
            }
          >
            <InlineSelect
              label="Who is listed"
              value={isEveryone ? 'all' : 'plan'}
              choices={[
                ['plan', 'People on the plan'],
                ['all', 'Everyone'],
              ]}
              onChange={({ currentTarget }) => setEveryone(currentTarget.value === 'all')}
            />
            <InlineSelect
              label="Amount"
              value={amount}
              choices={amounts}
              onChange={({ currentTarget }) => setAmount(currentTarget.value as QuotaAmount)}
            />
          </ListedPeople>
          <Loaded query={together} height={480}>
            {({ list: { reps }, named: found, quotas }) => (
              <Targets
                key={amount}
                {...{ amount, rule, year, quotas }}
                people={withNamed(reps, found.get(person ?? ''))}
              />
            )}
          </Loaded>
          <PeoplePager list={list} />
        </>
      )}
    </Loaded>
  );
}

/** The person whom the address names is listed in any case. */
function withNamed(people: readonly Person[], named: Person | undefined): readonly Person[] {
  if (named === undefined || people.some(({ id }) => id === named.id)) return people;
  return [named, ...people].slice(0, maxGridRows);
}

const amounts = [
  ['target', 'Target'],
  ['variableTarget', 'Variable pay at 100 %'],
] as const;

interface TargetsProps {
  readonly amount: QuotaAmount;
  readonly rule: PlanRule;
  readonly year: string;
  readonly people: readonly Person[];
  readonly quotas: readonly Quota[];
}

/** The targets to type into, and what saves them. */
function Targets({ amount, rule, year, people, quotas }: TargetsProps) {
  const isTarget = amount === 'target';
  const storageKey = `quota-edits:${rule.id}:${year}${isTarget ? '' : `:${amount}`}`;
  const [history, setHistory] = usePersistedState<readonly Edits[]>(storageKey, noEdits);
  const edits = history.at(-1) ?? {};
  const key = measureOf(rule);
  const stored = new Map(
    quotas.flatMap((quota) => (quota.measure === key ? [[cellKey(quota.repId, quota.period), quota]] : [])),
  );
  const undo = () => setHistory((before) => before.slice(0, -1));
  const [selected, setSelected] = useState<string | null>(null);
  const { person, day } = route.useSearch();
  const periods = periodsFor(rule, year);
  const wanted = periods.find((period) => day !== undefined && daysOf(period).from <= day && day <= daysOf(period).to);
  const isProratedRule = rule.quotaProration !== undefined && rule.quotaProration !== 'none';
  return (
    <>
      <GridEditor
        caption={`${isTarget ? 'Quotas' : 'Variable pay'} of ${rule.name} in ${rule.calendar === 'fiscal' ? 'FY' : ''}${year}`}
        rows={people.map(({ id, name, email }) => [id, name, email] as const)}
        columns={periods.map((period) => [period, headingOf(period)] as const)}
        storedOf={(row, column) => stored.get(cellKey(row, column))?.[amount] ?? undefined}
        noteOf={(row, column) => (isTarget ? noteOf(stored.get(cellKey(row, column))) : null)}
        columnOf={readPeriod}
        onSelect={setSelected}
        focused={person === undefined || wanted === undefined ? undefined : cellKey(person, wanted)}
        edits={edits}
        onEdit={(next) => setHistory((before) => withStep(before, next))}
        onUndo={undo}
      />
      {isProratedRule && isTarget ? (
        <SelectedQuota rule={rule} people={people} quota={selected === null ? undefined : stored.get(selected)} />
      ) : null}
      <GridRowsNote people={people} />
      <SaveLine
        amount={amount}
        rule={rule}
        people={people}
        edits={edits}
        stored={stored}
        onUndo={undo}
        onSaved={(sent) => setHistory((before) => without(before.at(-1) ?? {}, sent))}
      />
    </>
  );
}

/** The target that counts, if it is not the one that is stored. */
function noteOf(quota: Quota | undefined): CellNote | null {
  if (quota?.prorate === false) return { text: 'fixed', reason: explainTarget(quota) };
  if (quota === undefined || !isProrated(quota)) return null;
  return { text: `counts as ${formatUnits(quota.effectiveTarget ?? quota.target)}`, reason: explainTarget(quota) };
}

interface SelectedQuotaProps {
  readonly rule: PlanRule;
  readonly people: readonly Person[];
  /** The quota of the selected cell. */
  readonly quota: Quota | undefined;
}

/** How the target of the selected cell was computed, and whether it is fixed. */
function SelectedQuota({ rule, people, quota }: SelectedQuotaProps) {
  const [fixed, setFixed] = useState<Quota | null>(null);
  if (quota === undefined) return <p className="dim">Select a quota to see how the target that counts is computed.</p>;
  const isFixed = quota.prorate === false;
  const name = people.find(({ id }) => id === quota.repId)?.name ?? '';
  return (
    <div className={blocks.saveLine} aria-live="polite">
      <div>
        <span className="strong">
          {name}, {formatPeriod(quota.period)}
        </span>
        {explainTarget(quota)
          .split('\n')
          .map((line) => (
            <span key={line} className="second">
              {line}
            </span>
          ))}
      </div>
      <Link to="/members/$repId" params={{ repId: quota.repId }}>
        Working time
      </Link>
      <Button onClick={() => setFixed(quota)}>{isFixed ? 'Prorate' : `Fix at ${formatUnits(quota.target)}`}</Button>
      {fixed === null ? null : <FixDialog rule={rule} name={name} quota={fixed} onClose={() => setFixed(null)} />}
    </div>
  );
}

interface FixDialogProps {
  readonly rule: PlanRule;
  readonly name: string;
  readonly quota: Quota;
  readonly onClose: () => void;
}

/** Fixes the target, so that working time does not change it, or prorates it again. */
function FixDialog({ rule, name, quota: { repId, period, target, prorate }, onClose }: FixDialogProps) {
  const isFixed = prorate === false;
  const change: QuotaChange = { set: [{ repId, period, target, prorate: isFixed }], remove: [] };
  const save = useChange({
    send: () => store(rule, change),
    onDone: () => {
      showMessage(isFixed ? 'The quota is prorated.' : 'The quota is fixed.');
      onClose();
    },
  });
  const title = `${isFixed ? 'Prorate' : 'Fix'} the quota of ${name} for ${formatPeriod(period)}`;
  return <SaveDialog title={title} rule={rule} change={change} save={save} onClose={onClose} />;
}

interface SaveLineProps {
  readonly amount: QuotaAmount;
  readonly rule: PlanRule;
  readonly people: readonly Person[];
  readonly edits: Edits;
  readonly stored: ReadonlyMap<string, Quota>;
  readonly onUndo: () => void;
  readonly onSaved: (sent: Edits) => void;
}

/** Returns the quotas that were set. */
async function store(rule: PlanRule, { set, remove }: QuotaChange) {
  const saved = set.length === 0 ? [] : await api.setQuotas({ body: { planRuleId: rule.id, targets: [...set] } });
  for (const quotaId of remove) await api.deleteQuota({ params: { quotaId } });
  return saved;
}

function SaveLine({ amount, rule, people, edits, stored, onUndo, onSaved }: SaveLineProps) {
  const listed = listedEdits(edits, people);
  const { set, remove, wrong } = listChanges(listed, stored, amount);
  const count = set.length + remove.length;
  const [isAsked, setAsked] = useState(false);
  // What was stored before the last save, so that the save can be undone.
  const [before, setBefore] = useState<QuotaChange | null>(null);
  const save = useChange({
    send: async () => {
      const saved = await store(rule, { set, remove });
      return { sent: listed, count, taken: invertChanges({ set, remove }, [...stored.values()], saved) };
    },
    onDone: ({ sent, count: saved, taken }) => {
      setAsked(false);
      setBefore(taken);
      onSaved(sent);
      showMessage(`${formatCount(saved, 'quota')} saved.`);
    },
  });
  const takeBack = useChange({
    send: async () => {
      if (before !== null) await store(rule, before);
    },
    onDone: () => {
      setBefore(null);
      showMessage('The last save was undone.');
    },
    onFailed: showProblem,
  });
  return (
    <GridSaveLine
      people={people}
      edits={edits}
      wrong={wrong}
      count={count}
      noun="quota"
      hint="Undo with Ctrl Z."
      takeBack={before === null ? null : takeBack}
      onUndo={onUndo}
      onSave={() => setAsked(true)}
    >
      {isAsked ? (
        <SaveDialog
          title={`Save ${formatCount(count, 'quota')} of ${rule.name}`}
          rule={rule}
          change={{ set, remove }}
          save={save}
          onClose={() => setAsked(false)}
        />
      ) : null}
    </GridSaveLine>
  );
}

interface SaveDialogProps {
  readonly title: string;
  readonly rule: PlanRule;
  readonly change: QuotaChange;
  readonly save: Change;
  readonly onClose: () => void;
}

/** What the quotas move, before they are stored. */
function SaveDialog({ title, rule, change: { set, remove }, save, onClose }: SaveDialogProps) {
  const effect = useQuery(
    quotaEffectQuery({
      planRuleId: rule.id,
      targets: [...set],
      removed: [...remove],
    }),
  );
  return (
    <Dialog title={title} onClose={onClose} onSubmit={() => save.send()} change={save} action={{ children: 'Save' }}>
      <EffectOfChange query={effect} what="change" />
      <p className="dim">Approved statements do not change.</p>
    </Dialog>
  );
}
