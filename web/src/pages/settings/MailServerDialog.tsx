import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type MailServer } from '../../api/installation-query.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import {
  type EnteredMailServer,
  keepsPassword,
  mailServerProblem,
  securityWords,
  toEnteredMailServer,
  withSecurity,
} from '../../features/installation/mail-form.js';

interface MailServerDialogProps {
  readonly stored: MailServer | null;
  readonly onClose: () => void;
}

/** The settings of the mail server. Saving them sends a test mail to the admin, so that a mistake shows at once. */
export function MailServerDialog({ stored, onClose }: MailServerDialogProps) {
  const form = usePersistedForm('mail-server', toEnteredMailServer(stored));
  const { values } = form;
  // The storage of the browser must not contain passwords.
  const [password, setPassword] = useState('');
  const keeps = keepsPassword(stored, values);
  const problem = mailServerProblem(values, password !== '' || keeps);
  const save = useChange({
    send: async () => {
      await api.setMailServer({ body: toBody(values, password) });
      return api.sendTestMail();
    },
    onDone: ({ sentTo }) => {
      form.clear();
      onClose();
      showMessage(`The mail server is set up. A test mail was sent to ${sentTo}.`);
    },
  });
  return (
    <Dialog
      title="Mail server"
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      problem={problem === '' ? null : problem}
      form={{ ...form, isChanged: form.isChanged || password !== '' }}
      canSendUnchanged={stored !== null}
      action={{ disabled: problem !== null, children: 'Save and send a test mail' }}
    >
      <p>Your mail provider names these under SMTP. The test mail goes to your own address.</p>
      <TextField label="Server" placeholder="smtp.acme.com" {...form.field('host')} />
      <Choice
        label="Encryption"
        choices={Object.entries(securityWords)}
        value={values.security}
        onChange={({ currentTarget }) =>
          form.change(withSecurity(values, currentTarget.value as EnteredMailServer['security']))
        }
      />
      <TextField label="Port" inputMode="numeric" {...form.field('port')} />
      <TextField
        label="User name"
        hint="Empty if the server needs no login."
        autoComplete="off"
        {...form.field('username')}
      />
      <TextField
        label="Password"
        hint={keeps ? 'Empty: the stored password stays.' : 'It is stored encrypted and never shown.'}
        type="password"
        autoComplete="off"
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
      />
      <TextField label="Sender" placeholder="Acme Pay <pay@acme.com>" {...form.field('from')} />
    </Dialog>
  );
}

function toBody({ host, port, security, username, from }: EnteredMailServer, password: string) {
  return {
    host: host.trim(),
    port: Number(port),
    security,
    username: username.trim() === '' ? null : username.trim(),
    from: from.trim(),
    ...(password === '' ? {} : { password }),
  };
}
