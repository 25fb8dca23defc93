import { type Change, useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type IntegrationKey } from '../../api/settings-queries.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { CheckField, CheckList, TextField } from '../../components/Field.js';

type Scope = IntegrationKey['scopes'][number];

export const scopeWords: Readonly<Record<Scope, string>> = {
  read: 'Read everything except files',
  deals: 'Deals and calculations',
  plans: 'Plans, fields, assignments and quotas',
  payroll: 'Statements, their files and hand-overs',
  scim: 'People and roles, for an identity provider (SCIM)',
};

export type KeyDialogName = 'key' | 'widget' | 'workspace';

interface KeyDialogProps {
  readonly name: KeyDialogName;
  readonly onClose: () => void;
  /** Receives the new secret. */
  readonly onDone: (secret: string) => void;
}

/** Makes a key for another system, a token for a CRM widget, or a new key of the workspace. */
export function KeyDialog({ name, ...props }: KeyDialogProps) {
  if (name === 'key') return <NewKey {...props} />;
  return name === 'widget' ? <NewWidget {...props} /> : <NewWorkspaceKey {...props} />;
}

type Props = Omit<KeyDialogProps, 'name'>;

/** Sends the form, and hands over the secret of the response. */
function useSecret(form: PersistedForm<object>, onDone: Props['onDone'], send: () => Promise<string>): Change {
  return useChange({
    send,
    onDone: (secret) => {
      form.clear();
      onDone(secret);
    },
  });
}

function NewKey({ onClose, onDone }: Props) {
  const form = usePersistedForm('new-key key', {
    name: '',
    scopes: ['read'] as readonly Scope[],
    days: '365',
    agent: false,
  });
  const { name, scopes, days, agent } = form.values;
  const create = useSecret(form, onDone, async () => {
    const body = { name: name.trim(), scopes: [...scopes], expiresInDays: Number(days), agent };
    return (await api.createIntegrationKey({ body })).key;
  });
  return (
    <Dialog
      title="New key"
      onClose={onClose}
      onSubmit={() => create.send()}
      change={create}
      form={form}
      action={{ disabled: name.trim() === '' || scopes.length === 0, children: 'Create key' }}
    >
      <TextField label="Name" hint="For example, the system that uses it." {...form.field('name')} />
      <CheckList
        label="What the key permits"
        choices={Object.entries(scopeWords) as [Scope, string][]}
        chosen={scopes}
        onChange={(chosen) => form.change({ scopes: chosen })}
      />
      <CheckField
        label="An agent uses the key"
        hint="It then changes nothing over REST: its changes are tool calls, which can need an approval."
        checked={agent}
        onChange={() => form.change({ agent: !agent })}
      />
      <TextField label="Valid for days" type="number" min={1} max={730} {...form.field('days')} />
    </Dialog>
  );
}

function NewWidget({ onClose, onDone }: Props) {
  const form = usePersistedForm('new-key widget', { label: '' });
  const create = useSecret(form, onDone, async () => {
    const { token } = await api.createConnectionToken({ body: { label: form.values.label.trim() || null } });
    return token;
  });
  return (
    <Dialog
      title="Token for a CRM widget"
      onClose={onClose}
      onSubmit={() => create.send()}
      change={create}
      form={form}
      canSendUnchanged
      action={{ children: 'Create token' }}
    >
      <TextField label="Name" hint="For example, the CRM that shows the widget." {...form.field('label')} />
    </Dialog>
  );
}

function NewWorkspaceKey({ onClose, onDone }: Props) {
  const form = usePersistedForm('new-key workspace', { minutes: '' });
  const rotate = useSecret(form, onDone, async () => {
    const { apiKey } = await api.rotateWorkspaceKey({ body: { graceMinutes: Number(form.values.minutes) } });
    return apiKey;
  });
  return (
    <Dialog
      title="Replace the key of the workspace"
      onClose={onClose}
      onSubmit={() => rotate.send()}
      change={rotate}
      form={form}
      action={{ kind: 'danger', disabled: form.values.minutes === '', children: 'Replace key' }}
    >
      <TextField
        label="Minutes for which the old key stays valid"
        hint="Such as 60. With 0 it ends at once."
        type="number"
        min={0}
        max={1440}
        {...form.field('minutes')}
      />
    </Dialog>
  );
}
