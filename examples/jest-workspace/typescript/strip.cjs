// A transformer that leaves the types out, and keeps the modules of ECMAScript.
const ts = require('typescript');

exports.process = (text, file) => {
  const compilerOptions = { module: 'esnext', target: 'es2022', sourceMap: true, inlineSourceMap: false };
  const { outputText, sourceMapText } = ts.transpileModule(text, { compilerOptions, fileName: file });
  return { code: outputText, map: sourceMapText };
};
