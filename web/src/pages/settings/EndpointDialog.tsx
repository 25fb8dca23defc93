import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { type Endpoint } from '../../api/settings-queries.js';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { Check, Choice, TextField } from '../../components/Field.js';
import { describeError } from '../../components/States.js';
import { eventWords } from './event-words.js';
import styles from './Settings.module.css';

interface EndpointDialogProps {
  /** Null for a new one. */
  readonly endpoint: Endpoint | null;
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}

/** Address, purpose and events of an endpoint. */
export function EndpointDialog({ endpoint, onClose, onSecret }: EndpointDialogProps) {
  const queryClient = useQueryClient();
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [types, setTypes] = useState<readonly string[] | null>(endpoint?.eventTypes ?? null);
  const [isOn, setOn] = useState(endpoint?.enabled ?? true);
  const save = useMutation({
    mutationFn: async () => {
      const eventTypes = types as never;
      if (endpoint === null) {
        const made = await api.createWebhookEndpoint({
          body: {
            url,
            ...(description.trim() === '' ? {} : { description: description.trim() }),
            ...(types === null ? {} : { eventTypes }),
          },
        });
        onSecret(made.secret);
        return;
      }
      await api.updateWebhookEndpoint({
        params: { endpointId: endpoint.id },
        body: { url, description: description.trim() || null, eventTypes, enabled: isOn },
      });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      onClose();
    },
  });
  return (
    <Dialog
      title={endpoint === null ? 'New endpoint' : 'Endpoint'}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      action={{
        isBusy: save.isPending,
        disabled: url.trim() === '' || types?.length === 0,
        children: endpoint === null ? 'Create' : 'Save',
      }}
      problem={save.error === null ? null : describeError(save.error).message}
    >
      <TextField
        label="Address"
        type="url"
        hint="https, reachable from the internet."
        value={url}
        onChange={({ currentTarget }) => setUrl(currentTarget.value)}
      />
      <TextField
        label="What it is for"
        value={description}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
      />
      <EventFields types={types} onChange={setTypes} />
      {endpoint === null ? null : (
        <>
          <Choice
            label="Sending"
            value={isOn ? 'on' : 'off'}
            choices={[
              ['on', 'on'],
              ['off', 'off: events of this time are not sent later'],
            ]}
            onChange={({ currentTarget }) => setOn(currentTarget.value === 'on')}
          />
          <DeleteButton endpointId={endpoint.id} onDone={onClose} />
        </>
      )}
    </Dialog>
  );
}

interface EventFieldsProps {
  /** Null for all events. */
  readonly types: readonly string[] | null;
  readonly onChange: (types: readonly string[] | null) => void;
}

function EventFields({ types, onChange }: EventFieldsProps) {
  const toggle = (type: string) =>
    onChange(types?.includes(type) ? types.filter((one) => one !== type) : [...(types ?? []), type]);
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
        <fieldset className={styles.checks} aria-label="Events to send">
          {Object.entries(eventWords).map(([type, words]) => (
            <span key={type}>
              <Check label={words} checked={types.includes(type)} onChange={() => toggle(type)} />
              {words}
            </span>
          ))}
        </fieldset>
      )}
    </>
  );
}

function DeleteButton({ endpointId, onDone }: { readonly endpointId: string; readonly onDone: () => void }) {
  const queryClient = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const { mutate, isPending } = useMutation({
    mutationFn: () => api.deleteWebhookEndpoint({ params: { endpointId } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      onDone();
    },
  });
  return (
    <div>
      <Button kind="danger" isBusy={isPending} onClick={() => (isAsked ? mutate() : setAsked(true))}>
        {isAsked ? 'Yes, delete it with its deliveries' : 'Delete endpoint'}
      </Button>
    </div>
  );
}
