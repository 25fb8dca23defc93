import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Workspace } from '../../api/settings-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { useToday } from '../../app/today.js';
import { Choice, TextField } from '../../components/Field.js';
import { Card } from '../../components/Page.js';
import { describeDigest, readDigest, toEnteredDigest } from './entered-digest.js';
import styles from './Settings.module.css';
import { SettingsForm } from './SettingsForm.js';

/** Whether people get a weekly mail about their own pay, and at which hours it is not sent. */
export function RepDigestSettings({ stored }: { readonly stored: Workspace }) {
  const form = usePersistedForm('rep-digest', toEnteredDigest(stored.repDigest));
  const today = useToday();
  const digest = readDigest(form.values);
  const save = useChange({
    send: async () => {
      if (digest !== null) await api.updateWorkspace({ body: { repDigest: digest } });
    },
    onDone: () => {
      form.clear();
      showMessage('The weekly mail was saved.');
    },
  });
  return (
    <SettingsForm noun="mail" form={form} save={save} isRead={digest !== null}>
      <Card title="Weekly mail to people" note="about their own pay">
        <div className={styles.form}>
          <Choice
            label="Each week people get"
            choices={[
              ['off', 'no mail about their pay'],
              ['on', 'one mail about their own pay'],
            ]}
            {...form.field('enabled')}
          />
          {form.values.enabled === 'on' ? (
            <>
              <TextField
                label="Quiet from (optional)"
                type="time"
                hint="No such mail is sent from then on. Both empty: at any time."
                {...form.field('from')}
              />
              <TextField label="Quiet until (optional)" type="time" {...form.field('to')} />
            </>
          ) : null}
        </div>
        <p className="dim" role="status">
          {digest === null ? 'Enter two different times, or none.' : describeDigest(digest, stored, today)}
        </p>
      </Card>
    </SettingsForm>
  );
}
