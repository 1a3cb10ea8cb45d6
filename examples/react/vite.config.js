const { PORT = '8080' } = process.env;

export default { preview: { host: '127.0.0.1', port: Number(PORT), strictPort: true } };
