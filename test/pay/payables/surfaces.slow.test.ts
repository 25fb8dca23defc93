import { expect } from 'chai';
import { EventReceiver } from '#test/support/event-receiver.js';
import { requireBrowser } from '#test/support/pdf-tools.js';
import { Service } from '#test/support/service.js';
import { type Figures, features } from '#test/support/surfaces/features.js';
import { readers, type Shown, statusText } from '#test/support/surfaces/readers.js';
import { SurfaceWorld } from '#test/support/surfaces/world.js';

type Name = keyof Figures;

const headline: readonly Name[] = ['payable', 'earned', 'status', 'owed', 'paid'];

/** Which names each surface shows for each person who has them. What is left out has its reason. */
const shows: Readonly<Record<string, readonly Name[]>> = {
  'statement, JSON': [...headline, 'lines', 'waiting', 'held', 'deal'],
  'statement, JSON file': [...headline, 'lines', 'waiting', 'held', 'deal'],
  'list of statements, JSON': headline,
  'statements of the team, JSON': headline,
  'dashboard of a person, JSON': headline,
  'answer of the MCP tool get_commissions': ['payable'],
  'explanations of amounts, JSON': ['steps', 'deal'],
  // It has the parts of each amount and no statements.
  'payables, JSON': ['waiting', 'held', 'paid', 'deal'],
  'statement, PDF': ['payable', 'earned', 'lines', 'words', 'deal'],
  'archive of the team': ['payable', 'earned', 'lines', 'words', 'deal'],
  'statement, workbook': ['payable', 'earned', 'status', 'lines', 'words', 'deal'],
  'team, workbook': ['payable', 'earned', 'status', 'lines', 'words', 'deal'],
  // Its sums are in the earned currency; what is paid in another one is in the file of the team.
  'statement, CSV': ['earned', 'lines', 'deal'],
  'team, CSV': ['payable', 'earned'],
  'team, PDF': ['payable', 'earned'],
  'events of statements': ['payable', 'earned'],
  'mails about statements': ['payable'],
  'payout batches': ['paid'],
};

/** Who is not compared on a surface, with the reason. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // A mail says what the statement paid when it was approved; a correction after it sends none.
  'mails about statements': ['correction', 'batchCorrected'],
};

/** The features of the money model that the world must have. */
const required = [
  ...[
    'split',
    'overlay',
    'formula',
    'secondCurrency',
    'payCurrency',
    'ramp',
    'absence',
    'fiscalYear',
    'schedule',
    'hold',
  ],
  ...[
    'refund',
    'owed',
    'guarantee',
    'advance',
    'correction',
    'carryForward',
    'creditNote',
    'batchPaid',
    'batchCorrected',
  ],
  ...['firstMonth', 'splitHeld', 'refundInPounds', 'guaranteeWaiting', 'overlayInEuros', 'splitScheduleInPounds'],
];

const days = { paidOn: '2026-04-05' };

describe('surfaces and features of pay', function () {
  this.timeout(600_000);
  // Mails are read where they are stored.
  const service = Service.duringSuite({ settings: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'pay@acme.test' } });
  let receiver: EventReceiver;
  let world: SurfaceWorld;

  before(async function () {
    await requireBrowser(this);
    receiver = await EventReceiver.start();
    world = await SurfaceWorld.create(service, receiver);
  });
  after(() => receiver?.stop());

  it('has a person for each feature, and says for each surface what it shows', () => {
    expect(Object.keys(features)).to.have.members(required);
    expect(Object.keys(shows)).to.have.members(Object.keys(readers));
    for (const [surface, names] of Object.entries(shows)) expect(names, surface).not.to.have.length(0);
  });

  for (const [surface, read] of Object.entries(readers))
    it(`${surface} shows every feature`, async () => {
      const wrong: string[] = [];
      for (const [person, { figures }] of Object.entries(features)) {
        if (exceptions[surface]?.includes(person) === true) continue;
        const shown = await read(world, person);
        // No name for what is only earned that means paid, and no block of zeros in a currency without an amount.
        if (/net payout|USD 0\.00 .*EUR/i.test(shown.text)) wrong.push(`${person}: ${shown.text.slice(0, 300)}`);
        for (const name of shows[surface] ?? [])
          if (!isShown(name, figures(), shown))
            wrong.push(`${person}: ${name} is ${shownAs(shown, name)} instead of ${JSON.stringify(figures()[name])}`);
      }
      expect(wrong).to.deep.equal([]);
    });
});

function shownAs(shown: Shown, name: Name): string {
  return name === 'words' || name === 'steps' || name === 'deal' ? 'absent' : JSON.stringify(shown[name]);
}

function isShown(name: Name, figures: Figures, shown: Shown): boolean {
  switch (name) {
    case 'steps':
      return (figures.steps ?? []).every((pattern) => pattern.test(shown.text));
    case 'words':
      return (figures.words ?? []).every((pattern) => pattern.test(shown.text));
    case 'deal':
      return shown.text.includes(figures.deal ?? '');
    case 'status':
      return [figures.status, statusText({ status: figures.status, ...days })].includes(shown.status ?? '');
    default:
      return JSON.stringify(sorted(shown[name])) === JSON.stringify(sorted(figures[name]));
  }
}

/** Equal for equal figures, whatever the order of names. */
function sorted(figure: unknown): unknown {
  if (typeof figure !== 'object' || figure === null || Array.isArray(figure)) return figure;
  return Object.fromEntries(Object.entries(figure).sort());
}
