import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { type ScheduledImport } from '../../api/scheduled-import-queries.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import { ConfirmButton } from '../../components/ConfirmButton.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextArea, TextField } from '../../components/Field.js';
import { sourceNames, subjectNames } from '../../features/imports/scheduled.js';
import {
  type EnteredCredentials,
  type EnteredImport,
  enteredImport,
  isComplete,
  noCredentials,
  subjectOf,
  toBody,
} from './entered-import.js';

interface ScheduledImportDialogProps {
  /** Null for a new one. */
  readonly scheduled: ScheduledImport | null;
  readonly onClose: () => void;
  readonly onSaved: (id: string) => void;
}

/** Name, source, credentials and schedule. */
export function ScheduledImportDialog({ scheduled, onClose, onSaved }: ScheduledImportDialogProps) {
  const form = usePersistedForm(`scheduled-import ${scheduled?.id ?? 'new'}`, enteredImport(scheduled));
  // The storage of the browser must not contain passwords and keys.
  const [credentials, setCredentials] = useState(noCredentials);
  const hasEntered = Object.values(credentials).some((value) => value !== '');
  const done = (id: string) => {
    form.clear();
    onSaved(id);
  };
  const save = useChange({
    send: async () => (await send(scheduled, form.values, credentials)).id,
    onDone: done,
  });
  const isNew = scheduled === null;
  return (
    <Dialog
      title={isNew ? 'New scheduled import' : 'Scheduled import'}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={{ ...form, isChanged: form.isChanged || hasEntered }}
      action={{
        disabled: !isComplete(form.values, credentials, scheduled),
        children: isNew ? 'Create and read' : 'Save',
      }}
    >
      <TextField label="Name" {...form.field('name')} />
      <Choice label="Where the files are" choices={sourcesOf(scheduled)} {...form.field('kind')} />
      {isNew && form.values.kind !== 'stripe' ? (
        <Choice label="What the files hold" choices={Object.entries(subjectNames)} {...form.field('subject')} />
      ) : null}
      <SourceFields form={form} />
      {isNew && subjectOf(form.values) === 'invoices' ? (
        <TextField
          label="Field of deals with the IDs of their invoices"
          hint="Optional, for invoices that do not name their deal."
          {...form.field('dealField')}
        />
      ) : null}
      <CredentialFields
        kind={form.values.kind}
        credentials={credentials}
        onChange={setCredentials}
        hasCredentials={scheduled?.hasCredentials ?? false}
      />
      <Choice
        label="How often"
        choices={[
          ['day', 'every day'],
          ['hour', 'every hour'],
        ]}
        {...form.field('every')}
      />
      <TextField
        label="At"
        type="time"
        hint={form.values.every === 'hour' ? 'Only the minutes count.' : 'In the time zone of the workspace.'}
        {...form.field('at')}
      />
      {scheduled === null ? null : (
        <div>
          <ConfirmButton
            confirm="Yes, delete it; what it imported stays"
            send={() => api.deleteScheduledImport({ params: { scheduledImportId: scheduled.id } })}
            onDone={() => done('')}
          >
            Delete scheduled import
          </ConfirmButton>
        </div>
      )}
    </Dialog>
  );
}

/** Files of other things cannot come from Stripe. */
function sourcesOf(scheduled: ScheduledImport | null): [string, string][] {
  const isAny = scheduled === null || scheduled.subject === 'invoices';
  return Object.entries(sourceNames).filter(([kind]) => isAny || kind !== 'stripe');
}

function send(
  scheduled: ScheduledImport | null,
  values: EnteredImport,
  credentials: EnteredCredentials,
): Promise<ScheduledImport> {
  const body = toBody(values, credentials, scheduled);
  if (scheduled === null) return api.createScheduledImport({ body: body as never });
  return api.updateScheduledImport({ params: { scheduledImportId: scheduled.id }, body });
}

function SourceFields({ form }: { readonly form: PersistedForm<EnteredImport> }) {
  const { kind } = form.values;
  if (kind === 'stripe')
    return (
      <>
        <TextField
          label="Metadata with the ID of the deal"
          hint="The key under which an invoice in Stripe names its deal."
          {...form.field('dealKey')}
        />
        <TextField
          label="Days back"
          inputMode="numeric"
          hint="Invoices that were created in so many days are read each time."
          {...form.field('days')}
        />
      </>
    );
  if (kind === 'url')
    return (
      <TextField
        label="Address"
        type="url"
        hint="https. Google Sheets gives one with File, Share, Publish to web, CSV."
        {...form.field('url')}
      />
    );
  if (kind === 's3')
    return (
      <>
        <TextField
          label="Address of the store"
          type="url"
          hint="Leave it empty for Amazon S3."
          {...form.field('endpoint')}
        />
        <TextField label="Region" {...form.field('region')} />
        <TextField label="Bucket" {...form.field('bucket')} />
        <TextField label="Folder" hint="Empty for the whole bucket." {...form.field('folder')} />
      </>
    );
  return (
    <>
      <TextField label="Host" {...form.field('host')} />
      <TextField label="Port" inputMode="numeric" {...form.field('port')} />
      <TextField label="User" autoComplete="off" {...form.field('user')} />
      <TextField label="Folder" {...form.field('folder')} />
    </>
  );
}

interface CredentialFieldsProps {
  readonly kind: EnteredImport['kind'];
  readonly credentials: EnteredCredentials;
  readonly onChange: (credentials: EnteredCredentials) => void;
  readonly hasCredentials: boolean;
}

function CredentialFields({ kind, credentials, onChange, hasCredentials }: CredentialFieldsProps) {
  const field = (name: keyof EnteredCredentials) => ({
    value: credentials[name],
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ ...credentials, [name]: value }),
  });
  const secretHint = hasCredentials ? 'Leave it empty to keep the stored one.' : undefined;
  if (kind === 'stripe')
    return (
      <TextField
        label="Restricted API key"
        type="password"
        autoComplete="off"
        hint={secretHint ?? 'With the permission to read invoices and disputes.'}
        {...field('apiKey')}
      />
    );
  if (kind === 'url')
    return (
      <TextField
        label="Authorization"
        autoComplete="off"
        hint={secretHint ?? 'Only if the address needs it, such as Bearer and a token.'}
        {...field('authorization')}
      />
    );
  if (kind === 's3')
    return (
      <>
        <TextField label="ID of the access key" autoComplete="off" hint={secretHint} {...field('accessKeyId')} />
        <TextField
          label="Secret of the access key"
          type="password"
          autoComplete="off"
          hint={secretHint}
          {...field('secretAccessKey')}
        />
      </>
    );
  return (
    <>
      <TextField
        label="Password"
        type="password"
        autoComplete="off"
        hint={secretHint ?? 'Or a private key.'}
        {...field('password')}
      />
      <TextArea label="Private key" rows={3} spellCheck={false} hint={secretHint} {...field('privateKey')} />
      <TextField label="Passphrase of the key" type="password" autoComplete="off" {...field('passphrase')} />
    </>
  );
}
