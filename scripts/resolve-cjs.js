import Module from 'node:module';

// StrykerJS requires files of Mocha without their extension, which has been .cjs since Mocha 12.
Module._extensions['.cjs'] ??= Module._extensions['.js'];
