import { type Deliveries } from '#fakes/deliveries.js';
import { FakeBilling } from '#fakes/fake-billing.js';
import { FakeCrma } from '#fakes/fake-crma.js';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { FakeCrmc } from '#fakes/fake-crmc.js';
import { type CrmProvider } from '#src/crm/adapters/port.js';
import { type Day } from '#src/kernel/day.js';
import { inParallel, mapInParallel } from '#src/kernel/waiting.js';

/** The credentials that an admin pastes, or consents to, for one of the CRMs. */
interface PastedToken {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly instanceUrl?: string;
}

interface DemoCrm {
  readonly token: () => PastedToken;
  /** Receives the webhook address and secret, for a CRM whose webhooks are set up by hand. */
  connected(webhookUrl: string | null, webhookSecret: string | null): void;
  readonly openDeals: string[];
  close(dealId: string, day: Day): void;
  /** Sends webhooks for the latest changes, as the CRM does by itself. */
  deliver(): Promise<number[]>;
}

const sellers = [
  { firstName: 'Nora', lastName: 'Lind', email: 'nora@demo.test' },
  { firstName: 'Omar', lastName: 'Haas', email: 'omar@demo.test' },
];
const openAmounts = [12_000, 8_500, 30_000, 4_200, 19_900, 7_000];

/** Simulated CRMs and a billing provider on this machine, with the wire formats of the real ones. */
export class DemoCrms {
  private constructor(
    private readonly crma: FakeCrma,
    readonly crmb: FakeCrmb,
    readonly crmc: FakeCrmc,
    /** A second organisation of crm-c with a login host of its own, as a sandbox has. */
    readonly sandbox: FakeCrmc,
    private readonly billing: FakeBilling,
    readonly crms: Readonly<Record<CrmProvider, DemoCrm>>,
  ) {}

  static async start(): Promise<DemoCrms> {
    const [crma, crmb, crmc, sandbox, billing] = await inParallel(
      () => FakeCrma.start(),
      () => FakeCrmb.start(),
      () => FakeCrmc.start({ multiCurrency: true }),
      () => FakeCrmc.start({ multiCurrency: true, orgId: '00DSB0000005678AAA' }),
      () => FakeBilling.start(),
    );
    return new DemoCrms(crma, crmb, crmc, sandbox, billing, {
      crma: demoCrma(crma),
      crmb: demoCrmb(crmb),
      crmc: demoCrmc(crmc),
    });
  }

  /** The settings that point the service to them. */
  get environment(): Readonly<Record<string, string>> {
    const { crma, crmb, crmc, billing } = this;
    return {
      CRM_ALLOW_LOOPBACK: '1',
      CRM_POLL_SECONDS: '2',
      ...crma.environment,
      ...crmb.environment,
      ...crmc.environment,
      ...billing.environment,
    };
  }

  get addresses(): readonly string[] {
    return [
      `crm-a ${this.crma.server.url}`,
      `crm-b ${this.crmb.server.url}`,
      `crm-c ${this.crmc.url}`,
      `billing ${this.billing.url}`,
    ];
  }

  async stop(): Promise<void> {
    const { crma, crmb, crmc, sandbox, billing } = this;
    await mapInParallel([crma, crmb, crmc, sandbox, billing], (server) => server.stop());
  }
}

function demoCrma(crm: FakeCrma): DemoCrm {
  const owners = sellers.map((seller) => crm.addMember(seller));
  const openDeals = openAmounts.map((value, index) =>
    crm.addDeal({ name: `Deal A${index + 1}`, stage: 'In Progress', value, owner: owners[index % 2] as string }),
  );
  return {
    token: () => ({ accessToken: crm.oauth.issue().accessToken }),
    connected: () => {},
    openDeals,
    close: (dealId, day) => crm.closeDeal(dealId, day),
    deliver: () => crm.flush(),
  };
}

function demoCrmb(crm: FakeCrmb): DemoCrm {
  const owners = sellers.map((seller) => crm.addOwner(seller));
  const openDeals = openAmounts.map((amount, index) =>
    crm.addDeal({
      dealname: `Deal B${index + 1}`,
      dealstage: 'contractsent',
      amount: String(amount),
      hubspot_owner_id: owners[index % 2] as string,
      deal_currency_code: 'USD',
    }),
  );
  return {
    token: () => ({ accessToken: crm.oauth.issue().accessToken }),
    connected: (webhookUrl) => {
      crm.webhookUrl = webhookUrl;
    },
    openDeals,
    close: (dealId, day) => crm.closeDeal(dealId, day),
    deliver: () => crm.deliveries.flush(),
  };
}

function demoCrmc(crm: FakeCrmc): DemoCrm {
  const owners = sellers.map(({ firstName, lastName, email }) =>
    crm.addUser({ Name: `${firstName} ${lastName}`, Email: email }),
  );
  const openDeals = openAmounts.map((Amount, index) =>
    crm.addDeal({
      Name: `Deal C${index + 1}`,
      StageName: 'Prospecting',
      Amount,
      OwnerId: owners[index % 2] as string,
      CurrencyIsoCode: 'USD',
    }),
  );
  let flow: Deliveries<string> | null = null;
  return {
    token: () => {
      const { accessToken, refreshToken } = crm.oauth.issue();
      return { accessToken, instanceUrl: crm.url, ...(refreshToken === null ? {} : { refreshToken }) };
    },
    connected: (webhookUrl, webhookSecret) => {
      if (webhookUrl !== null && webhookSecret !== null)
        flow = crm.flow({ targetUrl: webhookUrl, secret: webhookSecret });
    },
    openDeals,
    close: (dealId, day) => {
      crm.changeDeal(dealId, { StageName: 'Closed Won', CloseDate: day });
      flow?.add(dealId);
    },
    deliver: async () => (await flow?.flush()) ?? [],
  };
}
