import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

/** Dialogs that may be sent as they open, with what the first press then does. */
const sentUnchanged: Readonly<Record<string, string>> = {
  'components/PasteDialog.tsx': 'pastes the rows whose person is clear, which the dialog counts',
  'features/disputes/DecideDispute.tsx': 'accepts the question without an amount',
  'features/payables/HoldList.tsx': 'ends the hold today, which pays what was held',
  'pages/data/AssignDialog.tsx': 'assigns to the plan whose cell was pressed',
  'pages/data/RecalculateDialog.tsx': 'calculates everyone again, which changes only incorrect amounts',
  'pages/payroll/HandoverDialog.tsx': 'marks the shown period as handed over',
  'pages/payroll/PayoutCard.tsx': 'marks the shown batch as paid or cancelled, as the pressed button says',
  'pages/rate-tables/SaveTableDialog.tsx': 'saves the cells that were entered, with the effect that it shows',
  'pages/settings/ConnectDialog.tsx': 'opens the consent page of the CRM',
  'pages/settings/ConnectionsPage.tsx': 'reads what is new in the CRM',
  'pages/settings/KeyDialog.tsx': 'creates a token, whose name may be empty',
  'pages/settings/MailServerDialog.tsx': 'sends a test mail with the stored settings',
  'pages/settings/ProviderDialog.tsx': 'checks the stored settings',
};

/** Dialogs with fields whose values are not kept as a form. */
const withoutForm: Readonly<Record<string, string>> = {
  'pages/data/SuggestedAssignments.tsx': 'its action is disabled until a plan is chosen',
  'pages/plans/builder/ActivateDialog.tsx': 'its field is the consent to failing tests',
  'pages/settings/WorkspacePage.tsx': 'its action is disabled until the name is typed',
};

const field = /<(TextField|Choice|TextArea|AmountField|CheckField|CheckList|InlineSelect|InlineInput|FieldInput)\b/;

interface UsedDialog {
  readonly file: string;
  readonly tag: string;
  readonly hasFields: boolean;
  readonly hasFile: boolean;
}

const root = 'web/src';

function dialogsOf(file: string): readonly UsedDialog[] {
  const source = readFileSync(`${root}/${file}`, 'utf8');
  return source.split(/^(?:export )?function /m).flatMap((body) =>
    [...body.matchAll(/<Dialog\b(?:[^>{}]|=>|\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*\})*>/g)].map(
      ([tag]) => ({
        file,
        tag,
        hasFields: field.test(body),
        hasFile: body.includes('type="file"'),
      }),
    ),
  );
}

describe('the dialogs of the web app', () => {
  const files = (readdirSync(root, { recursive: true }) as string[]).filter((file) => file.endsWith('.tsx'));
  const dialogs = files.filter((file) => file !== 'components/Dialog.tsx').flatMap(dialogsOf);
  const filesWhere = (test: (dialog: UsedDialog) => boolean) =>
    [...new Set(dialogs.filter(test).map(({ file }) => file))].sort();

  it('are all found', () => {
    const count = files.flatMap((file) => readFileSync(`${root}/${file}`, 'utf8').match(/<Dialog\b/g) ?? []).length;
    expect(dialogs.length).to.equal(count);
  });

  it('send nothing before something is entered, except those whose first press is harmless', () => {
    expect(filesWhere(({ tag }) => /\bcanSendUnchanged\b/.test(tag))).to.deep.equal(Object.keys(sentUnchanged));
    const hasForm = ({ tag }: UsedDialog) => /\bform\b/.test(tag);
    expect(filesWhere((dialog) => dialog.hasFields && !hasForm(dialog))).to.deep.equal(Object.keys(withoutForm));
  });

  it('take a chosen file for something that is entered, which the form itself does not keep', () => {
    const withFile = filesWhere(({ hasFile }) => hasFile);
    expect(withFile).to.deep.equal(['pages/plans/FxRatesPage.tsx']);
    expect(filesWhere(({ hasFile, tag }) => hasFile && !tag.includes('|| file !== null'))).to.deep.equal([]);
  });

  it('store no secrets in the browser, where the other fields of a form are kept', () => {
    const secrets = files.flatMap((file) =>
      [
        ...readFileSync(`${root}/${file}`, 'utf8').matchAll(
          /<TextField(?:(?!\/>)[\s\S])*?type="password"(?:(?!\/>)[\s\S])*?\/>/g,
        ),
      ].map(([tag]) => ({ file, isKept: tag.includes('form.field(') })),
    );
    expect(secrets.length).to.be.greaterThan(5);
    expect(secrets.filter(({ isKept }) => isKept)).to.deep.equal([]);
  });

  it('open again after a reload, because the key of their form begins with the prefix of the choice', () => {
    const sources = (readdirSync(root, { recursive: true }) as string[])
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => readFileSync(`${root}/${file}`, 'utf8').replace(/\$\{[\w.]+\}/g, '*'));
    const prefixes = sources.flatMap((source) =>
      [...source.matchAll(/usePersistedChoice<(?:[^>]|=>)*>\(\s*['`]([^'`]+)['`]/g)].map(([, prefix]) => prefix),
    );
    const isKey = (prefix: string | undefined) =>
      sources.some((source) => source.includes(`'${prefix} `) || source.includes(`\`${prefix} `));
    expect(prefixes.length).to.be.greaterThan(15);
    expect(prefixes.filter((prefix) => !isKey(prefix))).to.deep.equal([]);
  });
});
