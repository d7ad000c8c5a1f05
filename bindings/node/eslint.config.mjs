import js from '@eslint/js';
import globals from 'globals';

export default [
  { ignores: ['build/', 'docs/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.js'],
    languageOptions: { sourceType: 'commonjs', ecmaVersion: 2022, globals: globals.node },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { sourceType: 'module', ecmaVersion: 2022, globals: globals.nodeBuiltin },
  },
  {
    rules: {
      curly: ['error', 'multi-line'],
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-shadow': 'error',
      'no-unused-vars': ['error', { caughtErrors: 'none', ignoreRestSiblings: true }],
      'require-await': 'off',
    },
  },
];
