import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, productNames } from '#src/client.js';
import { useChange } from '../../api/change.js';
import { type Answer, api } from '../../api/client.js';
import { type Integration, type Provider } from '../../api/settings-queries.js';
import { showMessage } from '../../app/messages.js';
import { type PersistedForm, usePersistedForm } from '../../app/persisted-state.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextArea, TextField } from '../../components/Field.js';
import { InfoDialog } from '../../components/InfoDialog.js';
import { Loaded } from '../../components/Loaded.js';
import { type EnteredCrmSettings, toEntered, toSettings } from './entered-crm-settings.js';

type Settings = Answer<'getCrmSettings'>;

interface CrmSettingsDialogProps {
  readonly integration: Integration;
  readonly onClose: () => void;
}

/** Which people, deals and fields of a CRM are read, how often it is polled, and which fields get commission. */
export function CrmSettingsDialog({ integration, onClose }: CrmSettingsDialogProps) {
  const { provider } = integration;
  const stored = useQuery({
    queryKey: ['crm-settings', provider],
    queryFn: ({ signal }) => api.getCrmSettings({ params: { provider } }, { signal }),
  });
  if (stored.data !== undefined)
    return <SettingsForm stored={stored.data} integration={integration} onClose={onClose} />;
  return (
    <InfoDialog title={describeTitle(provider)} onClose={onClose}>
      <Loaded query={stored} height={480}>
        {() => null}
      </Loaded>
    </InfoDialog>
  );
}

function describeTitle(provider: Provider): string {
  return `Settings of ${productNames[provider]}`;
}

const lists = [
  ['teams', 'Only people of these teams', 'One on each line. Without any entry everyone is imported.'],
  ['roles', 'Only people with these roles', 'One on each line.'],
  ['emails', 'Only people with these addresses', 'One on each line.'],
  ['pipelines', 'Only deals of these pipelines', 'One on each line. Empty: all.'],
  ['fields', 'Names for fields', 'Such as arr=hs_arr, one on each line.'],
  ['companyFields', 'Fields of the company that deals get', 'One on each line.'],
] as const;

interface SettingsFormProps extends CrmSettingsDialogProps {
  readonly stored: Settings;
}

function SettingsForm({ stored, integration, onClose }: SettingsFormProps) {
  const before = toEntered(stored, integration);
  const form = usePersistedForm(`crm-settings ${integration.provider}`, before);
  const entered = JSON.stringify(form.values);
  /** The values for which the service requires a confirmation that deals are deleted. */
  const [toConfirm, setToConfirm] = useState<string | null>(null);
  const isExcluding = toConfirm === entered;
  const save = useChange({
    send: () => send(integration, before, form.values, isExcluding),
    onDone: () => {
      showMessage('The settings were saved, and a sync reads the CRM with them.');
      form.clear();
      onClose();
    },
    onFailed: (error) => {
      if (error instanceof ApiError && error.code === 'confirmation_required') setToConfirm(entered);
    },
  });
  return (
    <Dialog
      title={describeTitle(integration.provider)}
      onClose={onClose}
      onSubmit={() => save.send()}
      change={save}
      form={form}
      action={{
        kind: isExcluding ? 'danger' : 'primary',
        children: isExcluding ? 'Delete these deals' : 'Save settings',
      }}
    >
      {lists.map(([key, label, hint]) => (
        <TextArea key={key} rows={2} label={label} hint={hint} {...form.field(key)} />
      ))}
      <TextField label="Only deals that close on or after this day" type="date" {...form.field('closedFrom')} />
      <Choice
        label="Line items"
        choices={[
          ['no', 'are not read'],
          ['yes', 'are read: their number, sum and products become fields of the deal'],
        ]}
        {...form.field('lineItems')}
      />
      <Products form={form} provider={integration.provider} />
      {integration.provider === 'crma' ? null : <Splits form={form} provider={integration.provider} />}
      <Choice
        label="Polling for changes"
        choices={[
          ['on', 'regularly'],
          ['off', 'only when you start a sync'],
        ]}
        {...form.field('polling')}
      />
      <TextField
        label="Seconds between two polls"
        type="number"
        min={60}
        hint="Empty: the usual interval."
        {...form.field('pollSeconds')}
      />
      <WrittenFields form={form} provider={integration.provider} />
    </Dialog>
  );
}

const productHints = {
  crma: 'One on each line, such as amount=net: the name here, and the attribute of the records. The amount is needed.',
  crmb: 'One on each line, such as family=hs_product_type: the name here, and the property of line items.',
  crmc: 'One on each line, such as region=Region__c: the name here, and the field of line items or of their product.',
} satisfies Readonly<Record<Integration['provider'], string>>;

/** Whether line items are the products of deals, or in a CRM without them the records to which deals refer. */
function Products({ form, provider }: ProviderFieldsProps) {
  return (
    <>
      <Choice
        label="Products of deals"
        choices={[
          ['no', 'are not read'],
          [
            'yes',
            provider === 'crma'
              ? 'are the records of a reference, unless products of a deal are given here'
              : 'are the line items, unless products of a deal are given here',
          ],
        ]}
        {...form.field('lines')}
      />
      {form.values.lines === 'yes' && provider === 'crma' ? (
        <TextField
          label="Reference of deals"
          hint="The attribute of deals that refers to the records, such as products."
          {...form.field('lineReference')}
        />
      ) : null}
      {form.values.lines === 'yes' ? (
        <TextArea
          rows={2}
          label="Further values of products"
          hint={productHints[provider]}
          {...form.field('lineFields')}
        />
      ) : null}
    </>
  );
}

/** Whether splits of the CRM decide who is credited on a deal. */
function Splits({ form, provider }: ProviderFieldsProps) {
  return (
    <>
      <Choice
        label="Splits of deals"
        choices={[
          ['no', 'are not read'],
          ['yes', 'decide who is credited, unless the lines of a deal are entered here'],
        ]}
        {...form.field('splits')}
      />
      {form.values.splits === 'yes' && provider === 'crmc' ? (
        <TextArea
          label="Types of splits"
          rows={2}
          hint="One on each line, such as Revenue=split or SE credit=overlay SE, with the role at the end. Empty: Revenue and Overlay."
          {...form.field('splitTypes')}
        />
      ) : null}
    </>
  );
}

const written = [
  ['commission', 'Field for the commission', 'A number. It gets what the owner of the deal earns on it.'],
  [
    'commissionTotal',
    'Field for the commission of everyone',
    'A number: with that of managers and of others who share the deal. Empty: not written.',
  ],
  ['state', 'Field for the state', 'A text: Earned, Approved or Reversed. Empty: not written.'],
  ['currency', 'Field for the currency', 'A text such as EUR. Empty: not written.'],
  [
    'attainment',
    'Field for the attainment',
    'A number: percent of the quota that the deal reached. Empty: not written.',
  ],
] as const;

/** What the products call the names by which their fields are written. */
const nameWords: Readonly<Record<Provider, string>> = {
  crma: 'the slugs of attributes',
  crmb: 'the internal names of properties',
  crmc: 'the API names of custom fields, which end in __c',
};

interface ProviderFieldsProps {
  readonly form: PersistedForm<EnteredCrmSettings>;
  readonly provider: Provider;
}

/** The fields of deals that get commission, by the names that the CRM uses. */
function WrittenFields({ form, provider }: ProviderFieldsProps) {
  const product = productNames[provider];
  return (
    <>
      <Choice
        label={`Commission in ${product}`}
        hint={`Enter ${nameWords[provider]}. Everyone who sees these fields in ${product} sees the commission of the owner.`}
        choices={[
          ['off', 'is not written'],
          ['on', 'is written to fields of the deals'],
        ]}
        {...form.field('writing')}
      />
      {form.values.writing === 'off'
        ? null
        : written.map(([key, label, hint]) => (
            <TextField key={key} label={label} hint={hint} required={key === 'commission'} {...form.field(key)} />
          ))}
    </>
  );
}

/** Only what was changed is sent: new settings start a sync. */
async function send(
  { provider }: Integration,
  before: EnteredCrmSettings,
  entered: EnteredCrmSettings,
  confirm: boolean,
): Promise<void> {
  const params = { provider };
  const settings = toSettings(entered);
  if (JSON.stringify(settings) !== JSON.stringify(toSettings(before)))
    await api.setCrmSettings({ params, body: { ...settings, confirm } });
  if (entered.polling === before.polling && entered.pollSeconds === before.pollSeconds) return;
  await api.updateIntegration({
    params,
    body: {
      syncEnabled: entered.polling === 'on',
      pollSeconds: entered.pollSeconds === '' ? null : Number(entered.pollSeconds),
    },
  });
}
