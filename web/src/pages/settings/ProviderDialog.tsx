import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { api, basePath } from '../../api/client.js';
import { type IdentityProvider } from '../../api/installation-query.js';
import { showMessage } from '../../app/messages.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { TextField } from '../../components/Field.js';
import {
  directoryProblem,
  type EnteredProvider,
  issuerOf,
  type Kind,
  productOf,
  readDomains,
  toEnteredProvider,
} from '../../features/installation/provider-form.js';
import { SecretText } from './SecretText.js';

interface ProviderDialogProps {
  readonly kind: Kind;
  /** The provider to change; null for a new one. */
  readonly stored: IdentityProvider | null;
  /** Address of the service in its environment; null if it is that of the browser. */
  readonly publicUrl: string | null;
  readonly onClose: () => void;
}

/** Where the client and its secret come from. */
const places: Readonly<Record<Kind, string>> = {
  google:
    'In the Google Cloud console: APIs & Services, Credentials, Create credentials, OAuth client ID, Web application. Add the address below as an authorized redirect URI.',
  microsoft:
    'In the Microsoft Entra admin center: App registrations, New registration, accounts in this directory only. Add the address below as a redirect URI of the kind Web, then create a secret under Certificates & secrets.',
  other: 'Register this service as a web application at your provider, with the address below as its redirect URI.',
};

/** Client and secret of a provider, which are pasted. What answers at its address is checked before they are stored. */
export function ProviderDialog({ kind, stored, publicUrl, onClose }: ProviderDialogProps) {
  const form = usePersistedForm(`identity-provider ${stored?.id ?? kind}`, toEnteredProvider(kind, stored));
  const { values } = form;
  // The storage of the browser must not contain secrets.
  const [secret, setSecret] = useState('');
  const address = publicUrl ?? stored?.publicUrl ?? `${window.location.origin}${basePath}`;
  const issuer = issuerOf(kind, values);
  const isSame = stored !== null && stored.issuer === issuer && stored.clientId === values.clientId.trim();
  const save = useChange({
    send: () =>
      api.saveIdentityProvider({
        body: {
          kind,
          name: values.name.trim(),
          issuer,
          clientId: values.clientId.trim(),
          domains: readDomains(values.domains),
          publicUrl: address,
          ...(stored?.id == null ? {} : { id: stored.id }),
          ...(secret.trim() === '' ? {} : { clientSecret: secret.trim() }),
        },
      }),
    onDone: ({ name }) => {
      form.clear();
      onClose();
      showMessage(`People can sign in with ${name}. Try it in a private window before you rely on it.`);
    },
  });
  return (
    <Dialog
      title={stored === null ? `Sign-in with ${productOf[kind]}` : `Change ${stored.name}`}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={{ ...form, isChanged: form.isChanged || secret !== '' }}
      canSendUnchanged={stored !== null}
      action={{ disabled: isIncomplete(kind, values, secret.trim() !== '' || isSame), children: 'Check and save' }}
      size={560}
    >
      <p>{places[kind]}</p>
      <SecretText label="Redirect address" text={`${address}/auth/oidc/callback`} />
      <Fields kind={kind} form={form} secret={secret} onSecret={setSecret} keepsSecret={isSame} />
    </Dialog>
  );
}

interface FieldsProps {
  readonly kind: Kind;
  readonly form: PersistedForm<EnteredProvider>;
  readonly secret: string;
  readonly onSecret: (secret: string) => void;
  /** Whether the stored secret stays without being entered again. */
  readonly keepsSecret: boolean;
}

function Fields({ kind, form, secret, onSecret, keepsSecret }: FieldsProps) {
  return (
    <>
      {kind === 'other' ? (
        <TextField label="Address of the provider (issuer)" type="url" {...form.field('issuer')} />
      ) : null}
      {kind === 'microsoft' ? (
        <TextField
          label="Directory (tenant) ID"
          problem={directoryProblem(form.values.directory)}
          {...form.field('directory')}
        />
      ) : null}
      <TextField label={kind === 'microsoft' ? 'Application (client) ID' : 'Client ID'} {...form.field('clientId')} />
      <TextField
        label="Client secret"
        hint={keepsSecret ? 'Empty: the stored secret stays.' : undefined}
        type="password"
        autoComplete="off"
        value={secret}
        onChange={({ currentTarget }) => onSecret(currentTarget.value)}
      />
      <TextField
        label="Domains that may sign in"
        hint={
          kind === 'microsoft'
            ? 'For example acme.com. Microsoft does not say which addresses it has verified, so at least one is needed.'
            : 'For example acme.com. Empty: every address that the provider has verified.'
        }
        {...form.field('domains')}
      />
      <TextField label="Words of the button: Sign in with …" maxLength={60} {...form.field('name')} />
    </>
  );
}

/** Whether something that the provider needs is missing or wrong. */
function isIncomplete(kind: Kind, values: EnteredProvider, hasSecret: boolean): boolean {
  if (values.name.trim() === '' || values.clientId.trim() === '' || !hasSecret) return true;
  if (kind === 'other') return values.issuer.trim() === '';
  if (kind === 'google') return false;
  const isDirectory = values.directory.trim() !== '' && directoryProblem(values.directory) === null;
  return !isDirectory || readDomains(values.domains).length === 0;
}
