import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { type Workspace, workspaceQuery } from '../../api/settings-queries.js';
import { showMessage } from '../../app/messages.js';
import { Button } from '../../components/Button.js';
import { Choice, TextField } from '../../components/Field.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { describeError } from '../../components/States.js';
import styles from './Settings.module.css';

const tierWords: Readonly<Record<Workspace['tier'], string>> = {
  free: 'Free, up to 10 people',
  pro: 'Pro, up to 25 people',
  enterprise: 'Enterprise, any number of people',
};

/** Name, currency, time zone, who sees whom, security, payroll codes, and the tier of the subscription. */
export function WorkspacePage() {
  const workspace = useQuery(workspaceQuery);
  return (
    <Page title="Workspace" crumbs={[{ label: 'Workspace' }]} facts={[]}>
      <Loaded query={workspace} height={600}>
        {(stored) => (
          <>
            <Settings key={stored.name} stored={stored} />
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

interface Entered {
  readonly name: string;
  readonly currency: string;
  readonly timezone: string;
  readonly paper: '' | 'A4' | 'Letter';
  readonly managerScope: Workspace['managerScope'];
  readonly blocks: boolean;
  /** Minutes; empty if a session needs no new confirmation. */
  readonly stepUp: string;
  readonly agentWrites: '' | NonNullable<Workspace['agentWrites']>;
  readonly companyCode: string;
  readonly batchId: string;
  readonly commission: string;
  readonly bonus: string;
  readonly adjustment: string;
}

function enteredOf({
  name,
  currency,
  timezone,
  paper,
  managerScope,
  blockApprovalOnDispute,
  stepUpMinutes,
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
    blocks: blockApprovalOnDispute,
    stepUp: stepUpMinutes === null ? '' : String(stepUpMinutes),
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

function bodyOf(entered: Entered, before: Entered) {
  const { name, currency, timezone, paper, managerScope, blocks, stepUp, agentWrites, companyCode, batchId } = entered;
  const { commission, bonus, adjustment } = entered;
  const earningCodes = filled({ commission, bonus, adjustment });
  return {
    name: name.trim(),
    currency: currency.trim().toUpperCase(),
    timezone: timezone.trim(),
    paper: paper === '' ? null : paper,
    managerScope,
    blockApprovalOnDispute: blocks,
    agentWrites: agentWrites === '' ? null : agentWrites,
    // A change of this setting needs a confirmation itself.
    ...(stepUp === before.stepUp ? {} : { stepUpMinutes: stepUp === '' ? null : Number(stepUp) }),
    payroll: {
      ...filled({ companyCode, batchId }),
      ...(Object.keys(earningCodes).length === 0 ? {} : { earningCodes }),
    },
  };
}

function Settings({ stored }: { readonly stored: Workspace }) {
  const queryClient = useQueryClient();
  const before = enteredOf(stored);
  const [entered, setEntered] = useState(before);
  const set = (change: Partial<Entered>) => setEntered({ ...entered, ...change });
  const save = useMutation({
    mutationFn: () => api.updateWorkspace({ body: bodyOf(entered, before) }),
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      showMessage('The settings were saved.');
    },
  });
  const isChanged = JSON.stringify(before) !== JSON.stringify(entered);
  const isRead = entered.currency !== before.currency || entered.timezone !== before.timezone;
  return (
    <form
      className={styles.stack}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Card title="Company">
        <CompanyFields entered={entered} onChange={set} />
      </Card>
      <Card title="Approvals">
        <ApprovalFields entered={entered} onChange={set} />
      </Card>
      <Card title="Security">
        <SecurityFields entered={entered} onChange={set} />
      </Card>
      <Card title="Codes of payroll files">
        <PayrollFields entered={entered} onChange={set} />
      </Card>
      {save.error === null ? null : (
        <p role="alert" className="negative">
          {describeError(save.error).message}
        </p>
      )}
      <div className={styles.saveLine}>
        <span className="dim">{isRead ? 'Everyone is calculated again with the new currency or time zone.' : ''}</span>
        <Button disabled={!isChanged} onClick={() => setEntered(before)}>
          Discard
        </Button>
        <Button type="submit" kind="primary" size="final" disabled={!isChanged} isBusy={save.isPending}>
          Save settings
        </Button>
      </div>
    </form>
  );
}

interface PartProps {
  readonly entered: Entered;
  readonly onChange: (change: Partial<Entered>) => void;
}

function CompanyFields({ entered, onChange }: PartProps) {
  return (
    <div className={styles.form}>
      <TextField
        label="Name"
        required
        value={entered.name}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <TextField
        label="Currency"
        hint="Plans without a currency pay in it."
        required
        maxLength={3}
        value={entered.currency}
        onChange={({ currentTarget }) => onChange({ currency: currentTarget.value })}
      />
      <TextField
        label="Time zone"
        hint="It decides on which day a deal closes."
        required
        value={entered.timezone}
        onChange={({ currentTarget }) => onChange({ timezone: currentTarget.value })}
      />
      <Choice
        label="Paper of PDF files"
        value={entered.paper}
        choices={[
          ['', 'that of the currency'],
          ['A4', 'A4'],
          ['Letter', 'Letter'],
        ]}
        onChange={({ currentTarget }) => onChange({ paper: currentTarget.value as Entered['paper'] })}
      />
    </div>
  );
}

function ApprovalFields({ entered, onChange }: PartProps) {
  return (
    <div className={styles.form}>
      <Choice
        label="Managers see"
        value={entered.managerScope}
        choices={[
          ['workspace', 'everyone'],
          ['reports', 'the people below them'],
        ]}
        onChange={({ currentTarget }) => onChange({ managerScope: currentTarget.value as Entered['managerScope'] })}
      />
      <Choice
        label="A statement with an open question"
        value={entered.blocks ? 'blocked' : 'free'}
        choices={[
          ['free', 'can be approved'],
          ['blocked', 'cannot be approved'],
        ]}
        onChange={({ currentTarget }) => onChange({ blocks: currentTarget.value === 'blocked' })}
      />
    </div>
  );
}

function SecurityFields({ entered, onChange }: PartProps) {
  return (
    <div className={styles.form}>
      <TextField
        label="Minutes until a person confirms again"
        hint="Before keys, roles and payroll files, by a code from an e-mail. Empty: never."
        inputMode="numeric"
        type="number"
        min={1}
        max={1440}
        value={entered.stepUp}
        onChange={({ currentTarget }) => onChange({ stepUp: currentTarget.value })}
      />
      <Choice
        label="Changes by AI agents"
        value={entered.agentWrites}
        choices={[
          ['', 'wait for an admin, except those with a key'],
          ['confirm', 'wait for an admin'],
          ['allow', 'take effect at once'],
          ['deny', 'are rejected'],
        ]}
        onChange={({ currentTarget }) => onChange({ agentWrites: currentTarget.value as Entered['agentWrites'] })}
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

function PayrollFields({ entered, onChange }: PartProps) {
  return (
    <div className={styles.form}>
      {payrollFields.map(([key, label, hint]) => (
        <TextField
          key={key}
          label={label}
          hint={hint}
          value={entered[key]}
          onChange={({ currentTarget }) => onChange({ [key]: currentTarget.value })}
        />
      ))}
    </div>
  );
}
