import { Readable } from 'node:stream';
import { expect } from 'chai';
import { importsThrough } from '#src/app/import-operations.js';
import { type Caller, serviceCaller } from '#src/kernel/caller.js';
import { Failure } from '#src/kernel/failure.js';
import { newId } from '#src/kernel/ids.js';
import { Service } from '#test/support/service.js';

/** Values that would change the rights of the person. */
const withheld = { role: 'admin', active: 'false', payrollId: 'P9' };

const asFullWidth = (text: string) =>
  text.replace(/[a-z]/gi, (letter) => String.fromCodePoint((letter.codePointAt(0) as number) + 0xfee0));
const asCircled = (text: string) =>
  text.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) as number) - 97 + 0x24d0));
const asBold = (text: string) =>
  text.replace(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) as number) - 97 + 0x1d41a));

/** The name as people and programs may write it. */
function spellings(name: string): string[] {
  const letters = [...name];
  const at = (index: number, change: (letter: string) => string) =>
    letters.map((letter, other) => (other === index ? change(letter) : letter)).join('');
  const marks = ['\u0300', '\u0301', '\u0302', '\u0308', '\u0323', '\u20dd'];
  const between = [' ', '_', '-', '.', '\u00a0', '\u200b', '\u00ad', '\u3000', '\ufeff'];
  const each = letters.flatMap((_, index) => [
    ...[asFullWidth, asCircled, asBold, (letter: string) => letter.toUpperCase()].map((change) => at(index, change)),
    ...marks.map((mark) => at(index, (letter) => (letter + mark).normalize('NFC'))),
    ...between.map((text) => at(index, (letter) => letter + text)),
  ]);
  const whole = [
    name,
    name.toUpperCase(),
    asFullWidth(name),
    asCircled(name.toLowerCase()),
    asBold(name.toLowerCase()),
  ];
  return [...new Set([...whole, ...each])];
}

describe('files of other systems', () => {
  const service = Service.duringSuite({ worker: false });

  it('change no role, activity or payroll id, however the column is spelled, while the same file of an admin does', async () => {
    const { api, workspaceId } = await service.workspace();
    const email = 'ben@acme.test';
    await api.saveReps({ email, name: 'Ben' });
    const importFile = importsThrough(service.running.service.dispatcher);
    const send = async (column: string, value: string, more: Partial<Caller>) => {
      const caller = { ...serviceCaller(workspaceId, newId()), ...more };
      const csv = Readable.from([Buffer.from(`email,name,${column}\n${email},Ben,${value}\n`)]);
      // Names that are unknown, or the same as another one, reject the file.
      await importFile('people', {}, csv, caller).catch((error: unknown) => expect(error).to.be.instanceOf(Failure));
    };
    const rights = async () => {
      const rows = await service.sql<{ role: string; active: boolean; payroll_id: string | null }>(
        'select role, active, payroll_id from reps where workspace_id = $1 and email = $2',
        workspaceId,
        email,
      );
      return rows[0];
    };
    const before = await rights();
    let count = 0;
    for (const [name, value] of Object.entries(withheld))
      for (const spelling of spellings(name)) {
        await send(spelling, value, { mayChangeRights: false });
        expect(await rights(), JSON.stringify(spelling)).to.deep.equal(before);
        count += 1;
      }
    expect(count).to.be.greaterThan(200);
    for (const [spelling, value] of [
      ['r\u00f4le', 'manager'],
      [asFullWidth('active'), 'false'],
      ['p\u00e4yroll id', 'P9'],
    ] as const)
      await send(spelling, value, {});
    expect(await rights()).to.deep.equal({ role: 'manager', active: false, payroll_id: 'P9' });
  });
});
