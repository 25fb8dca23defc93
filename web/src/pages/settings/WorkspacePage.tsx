import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Change, useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { describeError } from '../../api/describe-error.js';
import { workspaceEffectQuery } from '../../api/effect-queries.js';
import { type Workspace, workspaceQuery } from '../../api/settings-queries.js';
import { showMessage } from '../../app/messages.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { Choice, TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { readNumber } from '../../shared/format/entered-numbers.js';
import { formatNumber } from '../../shared/format/numbers.js';
import { currencyChoices, timeZoneChoices } from '../../shared/format/regions.js';
import { AdjustmentLimitSettings } from './AdjustmentLimitSettings.js';
import { ApprovalStepSettings } from './ApprovalStepSettings.js';
import { PayoutSettings } from './PayoutSettings.js';
import { RepDigestSettings } from './RepDigestSettings.js';
import styles from './Settings.module.css';

const tierWords: Readonly<Record<Workspace['tier'], string>> = {
  free: 'Free, up to 10 people',
  pro: 'Pro, up to 25 people',
  enterprise: 'Enterprise, any number of people',
};

/** Name, currency, time zone, who sees whom, the minimum of quotas, security, payroll codes, and the tier of the subscription. */
export function WorkspacePage() {
  const workspace = useQuery(workspaceQuery);
  return (
    <Page title="Workspace" crumbs={[{ label: 'Workspace' }]}>
      <Loaded query={workspace} height={600}>
        {(stored) => (
          <>
            <Settings stored={stored} />
            <ApprovalStepSettings stored={stored} />
            <AdjustmentLimitSettings stored={stored} />
            <PayoutSettings stored={stored} />
            <RepDigestSettings stored={stored} />
            <Card title="Subscription">
              <p className="strong">{tierWords[stored.tier]}</p>
              <p>
                The tier follows the subscription. <Link to="/members">See the people</Link>
              </p>
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The minimum of prorated quotas that applies unless the workspace sets another. */
const defaultMinQuotaPercent = 25;

interface Entered {
  readonly name: string;
  readonly currency: string;
  readonly timezone: string;
  readonly paper: '' | 'A4' | 'Letter';
  readonly managerScope: Workspace['managerScope'];
  readonly approval: 'free' | 'blocked';
  /** Minutes; empty if a session needs no new confirmation. */
  readonly stepUp: string;
  readonly minQuotaPercent: string;
  readonly agentWrites: '' | NonNullable<Workspace['agentWrites']>;
  readonly companyCode: string;
  readonly batchId: string;
  readonly commission: string;
  readonly bonus: string;
  readonly adjustment: string;
}

function toEntered({
  name,
  currency,
  timezone,
  paper,
  managerScope,
  blockApprovalOnDispute,
  stepUpMinutes,
  minQuotaPercent = defaultMinQuotaPercent,
  agentWrites,
  payroll,
}: Workspace): Entered {
  const { companyCode = '', batchId = '', earningCodes = {} } = payroll;
  const { commission = '', bonus = '', adjustment = '' } = earningCodes;
  return {
    name,
    currency,
    timezone,
    paper: paper ?? '',
    managerScope,
    approval: blockApprovalOnDispute ? 'blocked' : 'free',
    stepUp: stepUpMinutes === null ? '' : String(stepUpMinutes),
    minQuotaPercent: formatNumber(minQuotaPercent),
    agentWrites: agentWrites ?? '',
    companyCode,
    batchId,
    commission,
    bonus,
    adjustment,
  };
}

function filled(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));
}

type Body = NonNullable<NonNullable<Parameters<typeof api.updateWorkspace>[0]>['body']>;

function toBody(entered: Entered): Body {
  const { name, currency, timezone, paper, managerScope, approval, stepUp, agentWrites, companyCode, batchId } =
    entered;
  const { commission, bonus, adjustment } = entered;
  const earningCodes = filled({ commission, bonus, adjustment });
  const minQuotaPercent = readNumber(entered.minQuotaPercent);
  return {
    name: name.trim(),
    currency: currency.trim().toUpperCase(),
    timezone: timezone.trim(),
    paper: paper === '' ? null : paper,
    managerScope,
    blockApprovalOnDispute: approval === 'blocked',
    agentWrites: agentWrites === '' ? null : agentWrites,
    stepUpMinutes: stepUp === '' ? null : Number(stepUp),
    ...(minQuotaPercent === null ? {} : { minQuotaPercent }),
    payroll: {
      ...filled({ companyCode, batchId }),
      ...(Object.keys(earningCodes).length === 0 ? {} : { earningCodes }),
    },
  };
}

/** Only what was changed is sent, so that it replaces nothing that someone else has changed meanwhile. */
function listChanges(before: Entered, entered: Entered): Body {
  const stored = toBody(before);
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(stored[name as keyof Body]);
  return Object.fromEntries(Object.entries(toBody(entered)).filter(isChanged));
}

function Settings({ stored }: { readonly stored: Workspace }) {
  const before = toEntered(stored);
  const form = usePersistedForm('workspace', before);
  const save = useChange({
    send: () => api.updateWorkspace({ body: listChanges(before, form.values) }),
    onDone: () => {
      setAsked(false);
      form.clear();
      showMessage('The settings were saved.');
    },
  });
  const [isAsked, setAsked] = useState(false);
  const decisive = pickDecisive(listChanges(before, form.values));
  const isRead = Object.keys(decisive).length > 0;
  const isWrong = minimumProblem(form.values.minQuotaPercent) !== null;
  return (
    <form
      className={styles.cards}
      onSubmit={(event) => {
        event.preventDefault();
        if (isRead) setAsked(true);
        else save.send();
      }}
    >
      <Card title="Company">
        <CompanyFields form={form} />
      </Card>
      <Card title="Approvals">
        <ApprovalFields form={form} />
      </Card>
      <Card title="Quotas">
        <div className={styles.form}>
          <TextField
            label="Minimum of a prorated quota, %"
            hint="So much of it remains however few days count, so that a few days do not pay at the top tier."
            inputMode="decimal"
            problem={minimumProblem(form.values.minQuotaPercent)}
            {...form.field('minQuotaPercent')}
          />
        </div>
      </Card>
      <Card title="Security">
        <SecurityFields form={form} />
      </Card>
      <Card title="Codes of payroll files" note="as your payroll provider names them">
        <PayrollFields form={form} />
      </Card>
      {save.error === null || isAsked ? null : (
        <p role="alert" className="negative">
          {describeError(save.error).message}
        </p>
      )}
      <div className={blocks.saveLine}>
        <span className="dim">{isRead ? `Everyone is calculated again with ${describeTerms(decisive)}.` : ''}</span>
        <Button disabled={!form.isChanged} onClick={form.clear}>
          Discard
        </Button>
        <Button type="submit" kind="primary" size="final" disabled={!form.isChanged || isWrong} isBusy={save.isBusy}>
          Save settings
        </Button>
      </div>
      {isAsked ? (
        <TermsDialog name={stored.name} change={decisive} save={save} onClose={() => setAsked(false)} />
      ) : null}
    </form>
  );
}

/** The terms that calculate everyone again. */
type DecisiveTerms = Parameters<typeof workspaceEffectQuery>[0];

function pickDecisive({ currency, timezone, minQuotaPercent }: Body): DecisiveTerms {
  return {
    ...(currency === undefined ? {} : { currency }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(minQuotaPercent === undefined ? {} : { minQuotaPercent }),
  };
}

function describeTerms({ currency, timezone, minQuotaPercent }: DecisiveTerms): string {
  const words = [
    ...(currency === undefined ? [] : [`the currency ${currency}`]),
    ...(timezone === undefined ? [] : [`the time zone ${timezone}`]),
    ...(minQuotaPercent === undefined ? [] : [`the minimum ${formatNumber(minQuotaPercent)} % of quotas`]),
  ];
  return new Intl.ListFormat('en').format(words);
}

function minimumProblem(text: string): string | null {
  const percent = readNumber(text);
  return percent !== null && percent >= 1 && percent <= 100 ? null : 'Enter a percentage from 1 to 100.';
}

interface TermsDialogProps {
  /** The name of the workspace, which the admin types to confirm. */
  readonly name: string;
  readonly change: DecisiveTerms;
  readonly save: Change;
  readonly onClose: () => void;
}

/** Such a change calculates everyone again, so the page shows what that moves and asks for the name. */
function TermsDialog({ name, change, save, onClose }: TermsDialogProps) {
  const [typed, setTyped] = useState('');
  const effect = useQuery(workspaceEffectQuery(change));
  return (
    <Dialog
      title={`Change to ${describeTerms(change)}`}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      action={{ kind: 'danger', disabled: typed.trim() !== name, children: 'Change and calculate everyone again' }}
    >
      {change.currency === undefined ? null : (
        <p>Amounts are not converted. A deal with a currency pays only on plans in this currency.</p>
      )}
      <EffectOfChange query={effect} what="change" />
      <TextField
        label={`Type ${name} to confirm`}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </Dialog>
  );
}

interface PartProps {
  readonly form: PersistedForm<Entered>;
}

function CompanyFields({ form }: PartProps) {
  return (
    <div className={styles.form}>
      <TextField label="Name" required {...form.field('name')} />
      <Choice
        label="Currency"
        hint="Plans without a currency pay in it."
        choices={currencyChoices(form.values.currency)}
        {...form.field('currency')}
      />
      <Choice
        label="Time zone"
        hint="It decides on which day a deal closes."
        choices={timeZoneChoices(form.values.timezone)}
        {...form.field('timezone')}
      />
      <Choice
        label="Paper of PDF files"
        choices={[
          ['', 'that of the currency'],
          ['A4', 'A4'],
          ['Letter', 'Letter'],
        ]}
        {...form.field('paper')}
      />
    </div>
  );
}

function ApprovalFields({ form }: PartProps) {
  return (
    <div className={styles.form}>
      <Choice
        label="Managers see"
        choices={[
          ['workspace', 'everyone'],
          ['reports', 'the people below them'],
        ]}
        {...form.field('managerScope')}
      />
      <Choice
        label="A statement with an open question"
        choices={[
          ['free', 'can be approved'],
          ['blocked', 'cannot be approved'],
        ]}
        {...form.field('approval')}
      />
    </div>
  );
}

function SecurityFields({ form }: PartProps) {
  return (
    <div className={styles.form}>
      <TextField
        label="Minutes until people must confirm again"
        hint="Before keys, roles and payroll files, by a code from an e-mail. Empty: never."
        inputMode="numeric"
        type="number"
        min={1}
        max={1440}
        {...form.field('stepUp')}
      />
      <Choice
        label="Changes by AI agents"
        choices={[
          ['', 'wait for an admin, except those with a key'],
          ['confirm', 'wait for an admin'],
          ['allow', 'take effect at once'],
          ['deny', 'are rejected'],
        ]}
        {...form.field('agentWrites')}
      />
    </div>
  );
}

const payrollFields = [
  ['companyCode', 'Company code', 'Three letters or digits.'],
  ['batchId', 'Batch ID', undefined],
  ['commission', 'Earning code of commission', undefined],
  ['bonus', 'Earning code of bonuses', undefined],
  ['adjustment', 'Earning code of adjustments', undefined],
] as const;

function PayrollFields({ form }: PartProps) {
  return (
    <div className={styles.form}>
      {payrollFields.map(([key, label, hint]) => (
        <TextField key={key} label={label} hint={hint} {...form.field(key)} />
      ))}
    </div>
  );
}
