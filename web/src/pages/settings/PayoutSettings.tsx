import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Workspace } from '../../api/settings-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Choice, TextField } from '../../components/Field.js';
import { Card } from '../../components/Page.js';
import { listFiscalYears } from '../../shared/format/periods.js';
import { describePayouts, type EnteredPayouts, readPayouts, toEnteredPayouts } from './entered-payouts.js';
import styles from './Settings.module.css';
import { SettingsForm } from './SettingsForm.js';

/** Whether statements pay what is earned or what is payable, in which periods, and how much they may keep. */
export function PayoutSettings({ stored }: { readonly stored: Workspace }) {
  const before = toEnteredPayouts(stored);
  const form = usePersistedForm<EnteredPayouts>('payouts', before);
  const body = readPayouts(before, form.values);
  const save = useChange({
    send: async () => {
      if (body !== null) await api.updateWorkspace({ body });
    },
    onDone: () => {
      form.clear();
      showMessage('The payouts were saved.');
    },
  });
  const isOn = form.values.enabled === 'on';
  return (
    <SettingsForm noun="payouts" form={form} save={save} isRead={body !== null}>
      <Card title="Payouts" note="what is earned and what is paid">
        <div className={styles.form}>
          <Choice
            label="Statements pay"
            choices={[
              ['off', 'what is earned'],
              ['on', 'what is payable: as customers pay, on days, without holds'],
            ]}
            {...form.field('enabled')}
          />
          {isOn ? <PayoutFields form={form} /> : null}
        </div>
        <p className="dim">{describePayouts(form.values)}</p>
      </Card>
    </SettingsForm>
  );
}

function PayoutFields({ form }: { readonly form: ReturnType<typeof usePersistedForm<EnteredPayouts>> }) {
  return (
    <>
      <TextField
        label="First day"
        type="date"
        hint="The first day of a pay period. What was earned before is paid with its statement."
        {...form.field('from')}
      />
      <Choice
        label="People are paid"
        choices={[
          ['monthly', 'each month'],
          ['quarterly', 'each quarter'],
        ]}
        {...form.field('period')}
      />
      {listFiscalYears().length > 0 || form.values.calendar === 'fiscal' ? (
        <Choice
          label="Calendar of the pay periods"
          choices={[
            ['calendar', 'the calendar year'],
            ['fiscal', 'the fiscal year'],
          ]}
          {...form.field('calendar')}
        />
      ) : null}
      <TextField
        label="A statement may keep at most, %"
        inputMode="decimal"
        hint="Of what it releases, to take back what a person was paid too early."
        {...form.field('maxPercent')}
      />
    </>
  );
}
