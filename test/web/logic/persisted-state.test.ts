import { expect } from 'chai';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { profileQuery } from '#web/api/queries.js';
import {
  changedValues,
  deleteAllPersisted,
  isPersisted,
  usePersistedChoice,
  usePersistedForm,
  usePersistedState,
} from '#web/app/persisted-state.js';
import { queryClient } from '#web/app/query-client.js';
import { createStore } from '#web/app/store.js';
import { noSavedColumns } from '#web/features/imports/file-shapes.js';
import { readSavedColumns, saveColumns } from '#web/pages/data/saved-columns.js';
import { newDraftKey } from '#web/pages/plans/builder/use-builder.js';
import { memoryStorage } from './memory-storage.js';

/** What the hook returns when a component that uses it is displayed first. */
function first<Value>(use: () => Value): Value {
  let value: Value | undefined;
  renderToString(
    createElement(() => {
      value = use();
      return null;
    }),
  );
  return value as Value;
}

describe('what a tab keeps', () => {
  const before = { localStorage: globalThis.localStorage, sessionStorage: globalThis.sessionStorage };
  const store = (initial: Readonly<Record<string, string>>) =>
    Object.assign(globalThis, { sessionStorage: memoryStorage(initial) });

  beforeEach(() => {
    Object.assign(globalThis, { localStorage: memoryStorage(), sessionStorage: memoryStorage() });
    queryClient.setQueryData(profileQuery.queryKey, { repId: 'ana' } as never);
  });

  after(() => {
    queryClient.clear();
    Object.assign(globalThis, before);
  });

  it('is a state after a reload', () => {
    store({ 'persisted ana form': '{"note":"half a text"}' });
    expect(isPersisted('form')).to.equal(true);
    expect(first(() => usePersistedState('form', { note: '' }))[0]).to.deep.equal({ note: 'half a text' });
    expect(first(() => usePersistedState('other', { note: '' }))[0]).to.deep.equal({ note: '' });
  });

  it('is for the person who entered it', () => {
    store({ 'persisted ana form': '"secret"' });
    queryClient.setQueryData(profileQuery.queryKey, { repId: 'zoe' } as never);
    expect(isPersisted('form')).to.equal(false);
    expect(first(() => usePersistedState('form', ''))[0]).to.equal('');
  });

  it('is nothing that cannot be read', () => {
    store({ 'persisted ana form': '{"note":' });
    expect(isPersisted('form')).to.equal(false);
    expect(first(() => usePersistedState('form', 5))[0]).to.equal(5);
  });

  it('is deleted for everyone when a person signs out', () => {
    store({ 'persisted ana form': '1', 'persisted zoe form': '2', theme: 'dark' });
    deleteAllPersisted();
    expect(Object.keys(sessionStorage)).to.deep.equal(['theme']);
  });

  it('are the changed values of a form; the others follow what is stored', () => {
    store({ 'persisted ana form': '{"note":"mine"}' });
    const form = first(() => usePersistedForm('form', { note: 'theirs', period: '2026-07' }));
    expect(form.values).to.deep.equal({ note: 'mine', period: '2026-07' });
    expect(form.isChanged).to.equal(true);
    expect(form.field('period').value).to.equal('2026-07');
    expect(first(() => usePersistedForm('empty', { note: 'theirs' })).isChanged).to.equal(false);
  });

  it('is no value that equals the initial one', () => {
    const initial = { note: '', list: ['a'], amount: 0 };
    expect(changedValues({ note: '', list: ['a'], amount: 5 }, initial)).to.deep.equal({ amount: 5 });
    expect(changedValues({ list: [] }, initial)).to.deep.equal({ list: [] });
    expect(changedValues({}, initial)).to.deep.equal({});
  });

  it('is which of several dialogs is open', () => {
    store({ 'persisted ana decide Q 7': '{}', 'persisted ana decided': '{}' });
    expect(first(() => usePersistedChoice('decide'))[0]).to.equal('Q 7');
    expect(first(() => usePersistedChoice('other'))[0]).to.equal(null);
  });

  it('is the draft of each template and of each plan by itself', () => {
    expect(newDraftKey(undefined)).to.equal('plan-draft new:blank');
    expect(newDraftKey('mbo')).not.to.equal(newDraftKey(undefined));
  });
});

describe('the matching of columns', () => {
  const before = globalThis.localStorage;
  const header = ['Deal ID', 'Amount'];

  beforeEach(() => {
    Object.assign(globalThis, { localStorage: memoryStorage() });
  });

  after(() => {
    Object.assign(globalThis, { localStorage: before });
  });

  it('is kept by the names of the columns, whatever their case, also for files with more columns', () => {
    saveColumns('deals', header, ['dealId', 'skip']);
    saveColumns('deals', ['Note', 'Amount'], ['keep', 'dealAmount']);
    expect(Object.fromEntries(readSavedColumns('deals').byName)).to.deep.equal({
      dealid: 'dealId',
      amount: 'dealAmount',
      note: 'keep',
    });
    expect(readSavedColumns('deals').shapes.map(({ names }) => names)).to.deep.equal([
      ['note', 'amount'],
      ['dealid', 'amount'],
    ]);
    expect(readSavedColumns('people')).to.deep.equal(noSavedColumns);
  });

  it('is kept for narrower files, also of a column that another file did not use', () => {
    saveColumns(
      'deals',
      ['Nr', 'Phase', 'Kunde', 'Art', 'Notiz'],
      ['dealId', 'dealStage', 'dealName', 'new:Type', 'keep'],
    );
    saveColumns('deals', ['Id', 'Phase', 'Datum', 'Betrag'], ['dealId', 'keep', 'closeDate', 'dealAmount']);
    const { byName } = readSavedColumns('deals');
    expect(['nr', 'phase', 'kunde', 'art'].map((name) => byName.get(name))).to.deep.equal([
      'dealId',
      'dealStage',
      'dealName',
      'new:Type',
    ]);
  });

  it('is not used if it cannot be read', () => {
    for (const text of ['null', 'x', '5', '{"dealid":5}', '[[]]']) {
      globalThis.localStorage.setItem('import-columns:deals', text);
      globalThis.localStorage.setItem('import-shapes:deals', text);
      expect(readSavedColumns('deals'), text).to.deep.equal(noSavedColumns);
    }
  });
});

describe('a value that belongs to no component', () => {
  it('is the last one that was set, in every component', () => {
    const store = createStore(1);
    expect(store.get()).to.equal(1);
    store.set(2);
    expect(store.get()).to.equal(2);
  });
});
