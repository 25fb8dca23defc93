import { serviceVersion } from '../version.js';

/** How the service names itself to clients. */
export const serverIdentity = { name: 'commissions', title: 'Commission service', version: serviceVersion };
