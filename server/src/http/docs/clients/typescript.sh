npm init --yes >/dev/null && npm pkg set type=module
npm install openapi-fetch@0.17.0
npm install --save-dev openapi-typescript@7.13.0 typescript@5.9.3 @types/node@24.10.1
npx openapi-typescript "$BASE/openapi.json" --output api.d.ts
npx tsc --strict --target es2023 --module nodenext --types node boats.ts
node boats.js
