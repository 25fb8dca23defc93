import { expect } from 'chai';
import { describeDigest, readDigest, toEnteredDigest } from '#web/pages/settings/entered-digest.js';

describe('the form of the weekly mail to people', () => {
  const on = { enabled: true, quietHours: { from: '20:00', to: '08:00' } };
  const none = { enabled: true, quietHours: null };

  it('reads what it writes, and rejects hours that are half or empty', () => {
    expect(readDigest({ ...toEnteredDigest(undefined), enabled: 'on' })).to.deep.equal(on);
    for (const { quietHours } of [on, none]) {
      const stored = { enabled: true, from: '2026-12-07', quietHours } as const;
      expect(readDigest(toEnteredDigest(stored))).to.deep.equal({ enabled: true, quietHours });
    }
    expect(readDigest({ enabled: 'off', from: '20:00', to: '' })).to.deep.equal({ enabled: false, quietHours: null });
    for (const to of ['', '20:00']) expect(readDigest({ enabled: 'on', from: '20:00', to })).to.equal(null);
  });

  it('says from when on and at which hours the mail is sent', () => {
    const workspace = { repDigest: undefined, timezone: 'Europe/Berlin', mail: 'working' } as const;
    // 1 December 2026 is a Tuesday.
    const words = (digest: typeof on | typeof none) => describeDigest(digest, workspace, '2026-12-01');
    expect(words(on)).to.match(
      /^From Monday, 7 Dec 2026 on, people get one mail a week, on Mondays, and never between 20:00 and 08:00 in Europe\/Berlin:/,
    );
    expect(words(none)).to.match(/^From Monday, 7 Dec 2026 on, people get one mail a week, on Mondays: what they earn/);
    const running = { ...workspace, repDigest: { enabled: true, from: '2026-11-02', quietHours: null } } as const;
    expect(describeDigest(none, running, '2026-12-01')).to.match(/^People get one mail a week, on Mondays:/);
    expect(describeDigest({ enabled: false, quietHours: null }, workspace, '2026-12-01')).to.equal(
      'People get no weekly mail about their pay.',
    );
    expect(describeDigest(on, { ...workspace, mail: 'not_set_up' }, '2026-12-01')).to.match(
      /Nothing is sent before a mail server is set up\.$/,
    );
  });
});
