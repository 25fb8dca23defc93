import { describeError } from '../../../api/describe-error.js';
import { type Simulation } from '../../../api/queries.js';
import { type Column, DataTable } from '../../../components/DataTable.js';
import { Delta } from '../../../components/Delta.js';
import { InlineSelect } from '../../../components/Inline.js';
import { HeroMoney, LedgerTotal, Money } from '../../../components/Money.js';
import { PayoutCurve } from '../../../components/PayoutCurve.js';
import { PeriodPicker } from '../../../components/PeriodPicker.js';
import { Skeleton } from '../../../components/States.js';
import { FindPerson } from '../../../features/people/PersonChoice.js';
import { payoutCurve } from '../../../features/plans/curve.js';
import { isSame, type Rule } from '../../../features/plans/draft.js';
import { sharedTiers } from '../../../features/plans/rules.js';
import { difference, signOf } from '../../../shared/format/exact.js';
import { formatPeriod } from '../../../shared/format/periods.js';
import styles from './Builder.module.css';
import { type Builder } from './use-builder.js';
import { findQuota, isInForce, type SimulationState } from './use-simulation.js';

interface SimulationPanelProps {
  readonly builder: Builder;
  /** The rule whose curve is displayed. */
  readonly rule: Rule | undefined;
  readonly currency: string;
  readonly simulation: SimulationState;
}

/** What one person would earn by rule, with the curve of the open rule. */
export function SimulationPanel({ builder, rule, currency, simulation }: SimulationPanelProps) {
  const { repId, period, people, finder, now, before, error, isLoading, choose } = simulation;
  const [mine, old] = [now?.reps[0], before?.reps[0]];
  return (
    <section className={styles.simulation} aria-label="Simulation">
      <div className={styles.panelHead}>
        <h2>Simulation</h2>
        <span className="dim">writes nothing</span>
      </div>
      <FindPerson finder={finder} />
      <InlineSelect
        label="Person"
        value={repId}
        choices={people}
        onChange={({ currentTarget }) => choose({ repId: currentTarget.value })}
      />
      <PeriodPicker period={period} onChange={(next) => choose({ period: next })} />
      {error === null ? null : (
        <p role="alert" className="negative">
          {describeError(error).message}
        </p>
      )}
      {/* Has its height before it is loaded, so that nothing below moves. */}
      <div>
        <p className="dim">Would earn</p>
        <HeroMoney amount={mine?.total} currency={currency} />
        {isInForce(builder) ? <Change now={mine?.total} before={old?.total} currency={currency} /> : null}
      </div>
      <Curve builder={builder} rule={rule} currency={currency} simulation={simulation} />
      {isLoading ? (
        <Skeleton height={tableHeight(builder.draft.terms.rules.length)} />
      ) : mine === undefined ? null : (
        <ByRule now={mine} before={old} period={period} currency={currency} />
      )}
    </section>
  );
}

interface ChangeProps {
  readonly now: number | undefined;
  readonly before: number | undefined;
  readonly currency: string;
}

function Change({ now, before, currency }: ChangeProps) {
  if (now === undefined || before === undefined) return <p>{'\u00a0'}</p>;
  const delta = difference(now, before);
  if (signOf(delta) === 0) return <p className="dim">as under the plan in force</p>;
  return (
    <p className="dim">
      <Delta amount={delta} currency={currency} /> vs the plan in force
    </p>
  );
}

function Curve({ builder, rule, currency, simulation }: SimulationPanelProps) {
  if (rule === undefined) return null;
  const quota = findQuota(simulation.now, rule) ?? 100_000;
  const now = payoutCurve(rule, quota);
  if (now === null) return null;
  const was = builder.saved?.terms.rules.find(({ name }) => name === rule.name);
  return (
    <PayoutCurve
      now={now}
      nowName="draft"
      before={was === undefined || isSame(was, rule) ? null : payoutCurve(was, quota)}
      beforeName={builder.base === null ? null : `v${builder.base.version}`}
      thresholds={sharedTiers(rule).map(({ minThreshold }) => minThreshold)}
      currency={currency}
    />
  );
}

/** The height of the table of so many rules, in pixels. */
function tableHeight(rules: number): number {
  return 25 + 33 * rules + 48;
}

type RepResult = Simulation['reps'][number];

interface ByRuleProps {
  readonly now: RepResult;
  readonly before: RepResult | undefined;
  readonly period: string;
  readonly currency: string;
}

function ByRule({ now, before, period, currency }: ByRuleProps) {
  const names = [...new Set([...now.rules, ...(before?.rules ?? [])].map(({ name }) => name))];
  const formatEntryAmount = ({ rules }: RepResult, name: string) => (
    <Money amount={rules.find((rule) => rule.name === name)?.total ?? 0} currency={currency} unit="none" />
  );
  const inForce: Column<string> | null =
    before === undefined
      ? null
      : {
          key: 'before',
          header: 'In force',
          align: 'right',
          cell: (name) => <span className="dim">{formatEntryAmount(before, name)}</span>,
        };
  return (
    <DataTable
      caption="Earnings by rule"
      columns={[
        { key: 'rule', header: 'Rule', phone: 'title', cell: (name) => name },
        ...(inForce === null ? [] : [inForce]),
        { key: 'now', header: 'Draft', align: 'right', phone: 'amount', cell: (name) => formatEntryAmount(now, name) },
      ]}
      rows={names}
      rowKey={(name) => name}
      total={{
        rule: formatPeriod(period),
        before: before === undefined ? null : <Money amount={before.total} currency={currency} unit="none" />,
        now: <LedgerTotal amount={now.total} currency={currency} />,
      }}
    />
  );
}
