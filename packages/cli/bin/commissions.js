#!/usr/bin/env node
import { existsSync } from 'node:fs';

// In a checkout of the service the command is the service's own, which has these commands too.
const service = new URL('../../../bin/commissions.js', import.meta.url);
await import(existsSync(service) ? service.href : '../dist/main.js');
