import { proveEpisodes } from './prove-episodes.js';

proveEpisodes('redis');
