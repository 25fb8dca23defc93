import { walksIn } from './readme-walk.js';

walksIn('zsh');
