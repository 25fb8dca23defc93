import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type Endpoint } from '../../api/settings-queries.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import { ConfirmButton } from '../../components/ConfirmButton.js';
import { Dialog } from '../../components/Dialog.js';
import { CheckList, Choice, TextField } from '../../components/Field.js';
import { eventWords } from './event-words.js';

interface EndpointDialogProps {
  /** Null for a new one. */
  readonly endpoint: Endpoint | null;
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}

/** Address, purpose and events of an endpoint. */
export function EndpointDialog({ endpoint, onClose, onSecret }: EndpointDialogProps) {
  const form = usePersistedForm(`endpoint ${endpoint?.id ?? 'new'}`, {
    url: endpoint?.url ?? '',
    description: endpoint?.description ?? '',
    /** Null for all events. */
    types: (endpoint?.eventTypes ?? null) as readonly string[] | null,
    sending: (endpoint?.enabled ?? true) ? 'on' : 'off',
  });
  const { url, types } = form.values;
  const done = () => {
    form.clear();
    onClose();
  };
  const save = useChange({
    send: () => send(endpoint, form.values),
    onDone: (secret) => {
      if (secret !== null) onSecret(secret);
      done();
    },
  });
  return (
    <Dialog
      title={endpoint === null ? 'New endpoint' : 'Endpoint'}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{
        disabled: url.trim() === '' || types?.length === 0,
        children: endpoint === null ? 'Create' : 'Save',
      }}
    >
      <TextField label="Address" type="url" hint="https, reachable from the internet." {...form.field('url')} />
      <TextField label="What it is for" {...form.field('description')} />
      <EventFields types={types} onChange={(chosen) => form.change({ types: chosen })} />
      {endpoint === null ? null : (
        <>
          <Choice
            label="Sending"
            choices={[
              ['on', 'on'],
              ['off', 'off: events of this time are not sent later'],
            ]}
            {...form.field('sending')}
          />
          <div>
            <ConfirmButton
              confirm="Yes, delete it with its deliveries"
              send={() => api.deleteWebhookEndpoint({ params: { endpointId: endpoint.id } })}
              onDone={done}
            >
              Delete endpoint
            </ConfirmButton>
          </div>
        </>
      )}
    </Dialog>
  );
}

interface Entered {
  readonly url: string;
  readonly description: string;
  readonly types: readonly string[] | null;
  readonly sending: string;
}

/** The secret of a new endpoint; null for a changed one. */
async function send(endpoint: Endpoint | null, { url, description, types, sending }: Entered): Promise<string | null> {
  const eventTypes = types as never;
  const about = description.trim();
  if (endpoint === null) {
    const body = { url, ...(about === '' ? {} : { description: about }), ...(types === null ? {} : { eventTypes }) };
    return (await api.createWebhookEndpoint({ body })).secret;
  }
  await api.updateWebhookEndpoint({
    params: { endpointId: endpoint.id },
    body: { url, description: about || null, eventTypes, enabled: sending === 'on' },
  });
  return null;
}

interface EventFieldsProps {
  /** Null for all events. */
  readonly types: readonly string[] | null;
  readonly onChange: (types: readonly string[] | null) => void;
}

function EventFields({ types, onChange }: EventFieldsProps) {
  return (
    <>
      <Choice
        label="Events"
        value={types === null ? 'all' : 'some'}
        choices={[
          ['all', 'all, also of later kinds'],
          ['some', 'only some'],
        ]}
        onChange={({ currentTarget }) => onChange(currentTarget.value === 'all' ? null : Object.keys(eventWords))}
      />
      {types === null ? null : (
        <CheckList label="Events to send" choices={Object.entries(eventWords)} chosen={types} onChange={onChange} />
      )}
    </>
  );
}
